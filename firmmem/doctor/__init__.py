"""What `firmmem doctor` looks at: each check is a function that yields findings, and changes nothing."""
