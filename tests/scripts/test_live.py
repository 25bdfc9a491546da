"""The story of three months: every check of it holds."""

from pathlib import Path


async def test_every_check_of_the_story_holds(tmp_path: Path) -> None:
    from live import line
    from living.story import tell

    checks = await tell(tmp_path)
    assert [line(check) for check in checks if not check.held] == []
    assert len({check.title for check in checks}) == len(checks) >= 60
