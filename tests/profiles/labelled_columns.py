"""Columns with the feature type that a person gave them: (type, name, values). Values are made up."""

from __future__ import annotations

_NAMES = ["Ada Berg", "Ben Cole", "Cleo Diaz", "Dan Eng", "Eva Falk", "Finn Gray", "Gia Holt", "Hal Ives", "Ida Jong", "Jan Klee", "Kim Lund", "Leo Marsh"]  # fmt: skip
_LONG = [
    "The bridge was closed for two days because of high water in the river.",
    "Repairs to the roof of the school are planned for the summer of next year.",
    "No work has been done on this site since the contract was ended by the town.",
    "An inspector found that the railings on the north side were loose and had to be replaced.",
    "The owner of the building has asked for more time to answer the letter.",
    "All lamps along the road were changed and the old ones were taken to the depot.",
]

COLUMNS: list[tuple[str, str, list[str]]] = [
    # Numerical
    ("Numerical", "population", [str(9_137 * i + 211) for i in range(40)]),
    ("Numerical", "temperature", [f"{i * 0.7 - 8:.1f}" for i in range(50)]),
    ("Numerical", "latitude", [f"{41 + i * 0.0137:.4f}" for i in range(30)]),
    ("Numerical", "count", ["0", "3", "12", "7", "1", "0", "5", "22", "9", "4"] * 3),
    ("Numerical", "share", ["0.12", "0.5", "0.33", "0.08", "1", "0.7"] * 4),
    ("Numerical", "balance", ["-120.5", "30", "0", "990.25", "-5", "77"] * 3),
    ("Numerical", "deaths", [str(i * i) for i in range(25)]),
    # Categorical
    ("Categorical", "state", ["Ohio", "Utah", "Iowa", "Ohio", "Maine", "Utah"] * 8),
    ("Categorical", "sex", ["F", "M"] * 20),
    ("Categorical", "is_open", ["true", "false", "true", "true"] * 8),
    ("Categorical", "smoker", ["0", "1", "1", "0", "0"] * 10),
    ("Categorical", "status_code", ["1", "2", "3", "2", "2", "1"] * 10),
    ("Categorical", "country", ["France", "Chile", "Kenya", "Japan", "Peru", "Norway", "Ghana", "Nepal"]),
    ("Categorical", "source", ["census"] * 12),
    ("Categorical", "response", ["Yes", "No", "Don't know", "Yes", "No", "Yes"] * 9),
    ("Categorical", "party", ["Green", "Labour", "Liberal", "Green"] * 9),
    # Datetime
    ("Datetime", "date", [f"2021-{m:02d}-{d:02d}" for m in range(1, 13) for d in (3, 17)]),
    ("Datetime", "year", [str(y) for y in range(1985, 2020)]),
    ("Datetime", "opened", ["March 3, 2011", "July 19, 2014", "May 1, 2002", "October 30, 1999"]),
    ("Datetime", "month", ["2019-01", "2019-02", "2019-03", "2019-04", "2019-05"]),
    ("Datetime", "quarter", ["2018 Q1", "2018 Q2", "2018 Q3", "2018 Q4", "2019 Q1"]),
    ("Datetime", "reported", ["12/03/21 14:05", "13/03/21 09:41", "14/03/21 23:10", "15/03/21 07:30"]),
    ("Datetime", "issued", ["3 Jan 2010", "14 Feb 2011", "9 Sep 2012", "28 Nov 2013"]),
    ("Datetime", "fiscal year", ["FY2019", "FY2020", "FY2021", "FY2022"]),
    # Sentence
    ("Sentence", "remarks", _LONG),
    ("Sentence", "description", [f"{text} It was reported by the ward." for text in _LONG]),
    ("Sentence", "finding", [f"In the year {1990 + i} {text.lower()}" for i, text in enumerate(_LONG)]),
    # URL
    ("URL", "link", [f"https://example.org/item/{i}?lang=en" for i in range(15)]),
    ("URL", "website", ["www.river.example", "http://town.example/about", "www.park.example/map.html"]),
    ("URL", "homepage", [f"data.city{i}.gov/open/{i}" for i in range(12)]),
    # Embedded numbers
    ("Embedded numbers", "budget", ["1,204,500", "87,300", "900", "12,045", "3,300,000"]),
    ("Embedded numbers", "acres", ["1,193.91", "160", "240", "2,100", "1,540"]),
    ("Embedded numbers", "tract", [f"Census Tract {i}.{i % 7:02d}" for i in range(101, 130)]),
    ("Embedded numbers", "result", [f"{i} of {i + 40} seats won" for i in range(3, 30)]),
    # List
    (
        "List",
        "languages",
        ["English; French", "German", "French; German; Italian", "English; Spanish", "Dutch; French"],
    ),
    ("List", "states", ["FL", "NC,NY,CT", "TX,LA", "FL,GA,SC", "LA", "NC,VA", "NY,CT,MA", "TX"]),
    ("List", "tags", ['["red", "blue"]', '["green"]', '["red", "green"]', '["blue", "grey"]']),
    ("List", "colours", ["red|blue", "blue|green|red", "green", "red|green", "blue|red"]),
    (
        "List",
        "genres",
        ["Drama, Comedy", "Comedy", "Horror, Drama, Crime", "Crime, Comedy", "Drama", "Comedy, Crime, Drama"],
    ),
    # ID
    ("ID", "name", _NAMES),
    ("ID", "id", [str(i) for i in range(1, 60)]),
    ("ID", "customer_id", [str(70_000 + 37 * i) for i in range(50)]),
    ("ID", "company", [f"{a.split()[1]} & Sons" for a in _NAMES]),
    ("ID", "playerID", [str(i * 3) for i in range(1, 40)]),
    # Numbers with unit
    ("Numbers with unit", "weight", ["12 kg", "3.5 kg", "40 kg", "7 kg", "18.25 kg"]),
    ("Numbers with unit", "price", ["$12.50", "$3,400.00", "$0.99", "$18", "$1.25"]),
    ("Numbers with unit", "turnout", ["54.3%", "61%", "48.75 %", "70.2%", "33%"]),
    ("Numbers with unit", "length", ["120 km", "45.5 km", "300 km", "8 km"]),
    ("Numbers with unit", "wages", ["€ 1,200", "€ 980", "€ 2,450", "€ 1,010"]),
    ("Numbers with unit", "speed", ["30 mph", "55 mph", "70 mph", "25 mph", "40 mph"]),
    # Numbers with sign
    ("Numbers with sign", "detected", ["<5", "12", "<5", "<1", ">100", ">250", "<2", "<10"]),
    ("Numbers with sign", "age", ["65+", "80+", "18+", "21+", "40+"]),
    ("Numbers with sign", "concentration", ["< 0.05", "< 0.1", "> 3.0", "< 0.2", "> 12"]),
    ("Numbers with sign", "employees", [">50", ">100", ">500", ">1,000", "<10"]),
    # Range of numbers
    ("Range of numbers", "age_group", ["0-4", "5-9", "10-14", "15-19", "20-24", "25-29"] * 3),
    (
        "Range of numbers",
        "income",
        ["$10,000 - $20,000", "$20,000 - $35,000", "$35,000 - $50,000", "$50,000 - $75,000"],
    ),
    ("Range of numbers", "hours", ["1 to 5", "6 to 10", "11 to 20", "21 to 40"]),
    (
        "Range of numbers",
        "size",
        ["10–19 employees", "20–49 employees", "50–99 employees", "100–249 employees"],
    ),
    # Formatted ID
    ("Formatted ID", "permit", [f"AB-{1000 + i}" for i in range(30)]),
    ("Formatted ID", "zip", [f"{i:05d}" for i in range(601, 640)]),
    (
        "Formatted ID",
        "player",
        [f"{n.split()[1][:4].lower()}{n[0].lower()}{i:02d}" for i, n in enumerate(_NAMES * 3)],
    ),
    ("Formatted ID", "phone", [f"555-01{i:02d}-{7000 + i}" for i in range(25)]),
    ("Formatted ID", "uuid", [f"{i:08x}-12ab-4cd3-9ef0-{i:012x}" for i in range(25)]),
    ("Formatted ID", "email", [f"user{i}@mail.example" for i in range(25)]),
    (
        "Formatted ID",
        "iata",
        ["JFK", "LAX", "ORD", "DFW", "SEA", "BOS", "MIA", "DEN", "ATL", "SFO", "PHX", "IAH"],
    ),
    ("Formatted ID", "zipcode", [str(90_001 + 13 * i) for i in range(40)]),
]
