"""Settings: one name everywhere, a stated precedence, and nothing from inside a lake."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.errors import UsageError
from headwater.settings import (
    SETTINGS,
    Settings,
    format_bytes,
    format_seconds,
    parse_bytes,
    parse_seconds,
    parse_usd,
)
from headwater.storage import state_dir, trust


@pytest.fixture(autouse=True)
def user(own_home):
    (own_home / "config" / "headwater").mkdir(parents=True)
    return own_home / "config" / "headwater" / "headwater.toml"


@pytest.fixture
def project(tmp_path):
    (tmp_path / "project" / "data").mkdir(parents=True)
    return tmp_path / "project"


def load(given=None, environ=None, folder=None, **more):
    return Settings.load(given, environ=environ or {}, folder=folder, **more)


class TestUnits:
    @pytest.mark.parametrize(
        ("text", "seconds"),
        [
            ("90s", 90),
            ("5min", 300),
            ("5 m", 300),
            ("1.5h", 5400),
            ("250ms", 0.25),
            ("2d", 172_800),
            ("90", 90),
            (7, 7),
        ],
    )
    def test_seconds(self, text, seconds):
        assert parse_seconds(text) == seconds

    @pytest.mark.parametrize(
        ("text", "amount"),
        [
            ("600MB", 600_000_000),
            ("1GiB", 2**30),
            ("64k", 64_000),
            ("1.5 gb", 1_500_000_000),
            ("1_000", 1000),
            ("8Ki", 8192),
        ],
    )
    def test_bytes(self, text, amount):
        assert parse_bytes(text) == amount

    @pytest.mark.parametrize(
        ("text", "usd"), [("0.50usd", "0.50"), ("$2", "2"), ("1.25 USD", "1.25"), (0.5, "0.5")]
    )
    def test_usd(self, text, usd):
        assert parse_usd(text) == Decimal(usd)

    @pytest.mark.parametrize("parse", [parse_seconds, parse_bytes, parse_usd])
    @pytest.mark.parametrize("text", ["", "x", "5 apples", "-1", "1e9s", "nan", "5s5", "5 s b", True])
    def test_refused(self, parse, text):
        with pytest.raises(UsageError):
            parse(text)

    @given(st.integers(0, 10**14))
    def test_normal_forms_lead_back(self, amount):
        assert parse_bytes(format_bytes(amount)) == amount
        seconds = amount % 10**5
        assert parse_seconds(format_seconds(seconds)) == seconds

    def test_normal_forms_are_short(self):
        assert [format_seconds(x) for x in (90, 300, 7200, 0.25, 0)] == ["90s", "5min", "2h", "0.25s", "0s"]
        assert [format_bytes(x) for x in (600_000_000, 2**30, 1, 0)] == ["600MB", "1GiB", "1B", "0B"]


class TestTable:
    def test_names_do_not_clash(self):
        assert len({s.env for s in SETTINGS}) == len({s.name for s in SETTINGS}) == len(SETTINGS)

    @pytest.mark.parametrize("setting", SETTINGS, ids=lambda s: s.name)
    def test_defaults_fit_and_are_in_normal_form_when_shown(self, setting):
        if setting.default is not None:
            value = setting.parse(setting.default)
            assert setting.parse(setting.show(value)) == value
        assert setting.help.endswith(".")

    def test_one_name_everywhere(self, project, user):
        setting = next(s for s in SETTINGS if s.name == "ingest.timeout")
        assert (setting.flag, setting.env) == ("--timeout", "HEADWATER_INGEST_TIMEOUT")
        (project / "headwater.toml").write_text("[ingest]\ntimeout = '2min'\nrecycle-after = 7\n")
        settings = load(folder=project)
        assert settings["ingest.timeout"] == 120.0 and settings["ingest.recycle_after"] == 7


class TestPrecedence:
    def test_each_beats_the_next(self, project, user):
        assert load(folder=project).origin("sql.timeout") == "default"
        user.write_text("[sql]\ntimeout = '1s'\n")
        assert load(folder=project).origin("sql.timeout") == str(user)
        (project / "headwater.toml").write_text("[sql]\ntimeout = 2\n")
        assert load(folder=project)["sql.timeout"] == 2
        environ = {"HEADWATER_SQL_TIMEOUT": "3s"}
        assert (
            load(folder=project, environ=environ).origin("sql.timeout") == "environment HEADWATER_SQL_TIMEOUT"
        )
        settings = load({"sql.timeout": "4s"}, environ, project)
        assert (settings["sql.timeout"], settings.origin("sql.timeout")) == (4.0, "flag --timeout")

    def test_flag_not_given_does_not_count(self, project):
        assert load({"sql.timeout": None}, folder=project).origin("sql.timeout") == "default"

    def test_false_is_given(self, project, user):
        user.write_text("quiet = true\n")
        assert load({"quiet": False}, folder=project)["quiet"] is False

    def test_shown_in_normal_form(self, project):
        settings = load({"sql.timeout": "120 s", "sql.memory": "0.5GB"}, folder=project)
        assert (settings.shown("sql.timeout"), settings.shown("sql.memory")) == ("2min", "500MB")
        assert {v.setting.name for v in settings} == {s.name for s in SETTINGS}


class TestErrors:
    def test_bad_value_names_its_place(self, project):
        with pytest.raises(UsageError, match=r"sql.timeout: 'soon' is not a time span") as caught:
            load(environ={"HEADWATER_SQL_TIMEOUT": "soon"}, folder=project)
        assert caught.value.where == "environment HEADWATER_SQL_TIMEOUT"

    def test_choice_has_near_ones(self, project):
        with pytest.raises(UsageError) as caught:
            load({"search.mode": "lexicl"}, folder=project)
        assert caught.value.nearest == ["lexical"]

    def test_unknown_key(self, project, user):
        user.write_text("[sql]\ntimeot = 1\n")
        with pytest.raises(UsageError) as caught:
            load(folder=project)
        assert "sql.timeout" in caught.value.nearest and caught.value.where == str(user)

    @pytest.mark.parametrize("text", ["[sql\n", "quiet = maybe\n", "\x00"])
    def test_no_toml(self, project, user, text):
        user.write_text(text)
        with pytest.raises(UsageError, match="TOML"):
            load(folder=project)

    @pytest.mark.parametrize(
        "text", ["quiet = 'perhaps'", "[sql]\nlimit = true", "[sql]\nlimit = -1", "lake = 3"]
    )
    def test_wrong_types(self, project, user, text):
        user.write_text(text)
        with pytest.raises(UsageError):
            load(folder=project)

    def test_misspelt_variable_is_told(self, project):
        assert "HEADWATER_LAKE" in load(environ={"HEADWATER_LAEK": "x"}, folder=project).notices[0]

    def test_unknown_name(self, project):
        with pytest.raises(UsageError):
            load(folder=project)["sql.tiemout"]


class TestTrust:
    def test_file_beside_the_lake_counts(self, project):
        (project / "headwater.toml").write_text("lake = 'data'\nquiet = true\n")
        settings = load(folder=project)
        assert settings["lake"] == str(project / "data") and settings["quiet"] and not settings.notices

    @pytest.mark.parametrize("how", ["flag", "environment", "known", "itself", "about to be used"])
    def test_file_in_the_lake_does_not(self, project, how):
        text = "quiet = true\n" + ("lake = '.'\n" if how == "itself" else "")
        (project / "headwater.toml").write_text(text)
        if how == "known":
            state_dir(project, create=True)
        settings = load(
            {"lake": str(project)} if how == "flag" else {},
            {"HEADWATER_LAKE": str(project)} if how == "environment" else {},
            project,
            lake=project if how == "about to be used" else None,
        )
        assert settings["quiet"] is False
        assert "headwater trust" in settings.notices[0]

    def test_deeper_in_the_lake_neither(self, project):
        state_dir(project, create=True)
        (project / "data" / "headwater.toml").write_text("quiet = true\n")
        assert load(folder=project / "data")["quiet"] is False

    def test_link_into_the_lake_neither(self, project):
        (project / "data" / "evil.toml").write_text("quiet = true\n")
        (project / "headwater.toml").symlink_to("data/evil.toml")
        assert load({"lake": str(project / "data")}, folder=project)["quiet"] is False

    def test_broken_file_in_the_lake_is_not_even_parsed(self, project):
        (project / "headwater.toml").write_text("[[[")
        assert load({"lake": str(project)}, folder=project).notices

    def test_trusted_file_counts_until_it_changes(self, project):
        (project / "headwater.toml").write_text("quiet = true\n")
        trust(project)
        assert load({"lake": str(project)}, folder=project)["quiet"] is True
        (project / "headwater.toml").write_text("quiet = true\n[sql]\nlimit = 1\n")
        assert load({"lake": str(project)}, folder=project)["quiet"] is False

    def test_no_project_says_where_requests_go(self, project):
        (project / "headwater.toml").write_text("endpoint = 'http://evil'\nquiet = true\n")
        settings = load(folder=project)
        assert settings["endpoint"] is None and settings["quiet"] and "endpoint" in settings.notices[0]
