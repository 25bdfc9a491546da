"""What tests and measuring scripts share: real servers, agents, clocks, stores and models to talk to."""
