"""Writes `zones.txt`: what Python's `zoneinfo`, with the system's database, says about instants in zones with rules.

    python3 crates/nestled-nested/tests/zones.py > crates/nestled-nested/tests/zones.txt

Zones are some whose past is the same in all versions of the database of recent years. A line has a zone, the seconds since 1970, and the year, month, day, hour, minute, second, weekday and
day of the year there.
"""

import random
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

ZONES = [
    "Europe/Paris", "Europe/London", "Europe/Dublin", "America/New_York", "America/Los_Angeles", "America/St_Johns",
    "America/Sao_Paulo", "Australia/Sydney", "Australia/Lord_Howe", "Pacific/Apia", "Pacific/Chatham", "Asia/Kolkata",
    "Asia/Kathmandu", "Asia/Tokyo", "Asia/Jerusalem", "America/Santiago", "Antarctica/Troll", "Etc/GMT+5",
]  # fmt: skip
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def local(zone, seconds):
    return (EPOCH + timedelta(seconds=seconds)).astimezone(zone)


def changes(zone, begin, end):
    """The seconds of changes of the offset, found by halving days."""
    found = []
    for low in range(begin, end, 86400):
        high = low + 86400
        if local(zone, low).utcoffset() == local(zone, high).utcoffset():
            continue
        while high - low > 1:
            middle = (low + high) // 2
            if local(zone, low).utcoffset() == local(zone, middle).utcoffset():
                low = middle
            else:
                high = middle
        found.append(high)
    return found


def main():
    random.seed(1)
    print("; made by zones.py")
    for name in ZONES:
        zone = ZoneInfo(name)
        at = []
        # This century, and years that only a rule reaches.
        for begin, end in [(946684800, 1704067200), (4102444800, 4165516800)]:
            found = changes(zone, begin, end)
            at += [change + step for change in random.sample(found, min(5, len(found))) for step in (-1, 0, 1)]
        at += [random.randrange(-2_500_000_000, 1_704_067_200) for _ in range(12)]
        at += [random.randrange(4_000_000_000, 200_000_000_000) for _ in range(12)]
        for seconds in at:
            now = local(zone, seconds)
            clock = (now.year, now.month, now.day, now.hour, now.minute, now.second)
            print(name, seconds, *clock, now.weekday(), now.timetuple().tm_yday)


main()
