"""Prices, keys, specs, the cache of replies, and limits per minute."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from tests.models.scripted import serve, text

from headwater.errors import SetupError, UsageError
from headwater.models import (
    CachedModel,
    ChatRequest,
    DeadlineError,
    ListPrice,
    Message,
    Price,
    RateLimiter,
    RemoteModel,
    ReplyCache,
    Tool,
    Usage,
    list_price,
    open_model,
)
from headwater.models._providers import is_local, key_for

HELLO = ChatRequest((Message("system", "s"), Message("user", "hello")), max_tokens=100)
EVERY_KEY = {
    "OPENAI_API_KEY": "o",
    "ANTHROPIC_API_KEY": "a",
    "GEMINI_API_KEY": "g",
    "DEEPSEEK_API_KEY": "d",
    "HEADWATER_MODEL_KEY": "own",
}


class TestSpecs:
    @pytest.mark.parametrize(
        ("spec", "id"),
        [
            ("openai:gpt-x", "openai:gpt-x"),
            ("anthropic:claude-x", "anthropic:claude-x"),
            ("google:gemini-x", "google:gemini-x"),
            ("gemini:gemini-x", "google:gemini-x"),
            ("deepseek:deepseek-chat", "deepseek:deepseek-chat"),
            ("ollama:qwen3:8b", "ollama:qwen3:8b"),
            ("llamacpp:any", "llamacpp:any"),
            ("vllm:org/name", "vllm:org/name"),
        ],
    )
    def test_providers(self, spec, id):
        assert open_model(spec, environ=EVERY_KEY).id == id

    @pytest.mark.parametrize("spec", ["gpt", "openai:", "nobody:x", ""])
    def test_specs_that_name_no_model(self, spec):
        with pytest.raises(UsageError, match="names no model") as caught:
            open_model(spec, environ=EVERY_KEY)
        assert "vllm:NAME" in caught.value.hint

    @pytest.mark.parametrize("url", ["localhost:8000", "ftp://host/v1", "http://", "http://h:port/v1", ""])
    def test_addresses_that_are_none(self, url):
        with pytest.raises(UsageError, match="no address"):
            key_for(url, EVERY_KEY)


class TestWhichKeyGoesWhere:
    @pytest.mark.parametrize(
        ("url", "key"),
        [
            ("https://api.openai.com/v1", "o"),
            ("https://api.openai.com:443/other", "o"),
            ("https://api.anthropic.com/v1", "a"),
            ("https://generativelanguage.googleapis.com", "g"),
            ("https://api.deepseek.com/v1", "d"),
            ("http://api.openai.com/v1", "own"),
            ("https://api.openai.com:8443/v1", "own"),
            ("https://api.openai.com.example.org/v1", "own"),
            ("https://api.openai.com@example.org/v1", "own"),
            ("https://openrouter.example.org/api/v1", "own"),
            ("http://127.0.0.1:11434/v1", "own"),
        ],
    )
    def test_a_key_goes_to_its_own_address_only(self, url, key):
        assert key_for(url, EVERY_KEY) == key

    @pytest.mark.parametrize("provider", ["openai", "anthropic", "google", "deepseek"])
    def test_a_missing_key_is_told_before_any_call(self, provider):
        with pytest.raises(SetupError) as caught:
            open_model(f"{provider}:m", environ={"HEADWATER_MODEL_KEY": "own"})
        assert f"{provider.upper()}_API_KEY" in caught.value.hint

    @pytest.mark.parametrize("provider", ["ollama", "llamacpp", "vllm"])
    def test_servers_of_ones_own_need_none(self, provider):
        assert open_model(f"{provider}:m", environ={}).id == f"{provider}:m"

    def test_what_is_local(self):
        assert (
            is_local("http://localhost:1/v1")
            and is_local("http://127.1.2.3/v1")
            and is_local("http://[::1]:1/")
        )
        assert not is_local("http://127.example.org/v1") and not is_local("http://10.0.0.1/v1")


class TestPrices:
    USED = Usage(1, 1_000_000, 100_000, cached_tokens=500_000)

    def test_listed(self):
        price = list_price("openai", "gpt-4o")
        dated = list_price("openai", "gpt-4o-2024-08-06")
        assert price is not None and dated is not None
        plain, cached = price.usd(replace(self.USED, cached_tokens=0)), price.usd(self.USED)
        assert plain is not None and cached is not None and 0 < cached < plain
        assert dated.usd(self.USED) == cached

    def test_what_is_written_to_a_cache_costs_more(self):
        price = list_price("anthropic", "claude-sonnet-4-6")
        assert price is not None
        plain = price.usd(Usage(1, 1000, 0))
        written = price.usd(Usage(1, 1000, 0, written_tokens=1000))
        assert plain is not None and written is not None and written > plain

    def test_a_list_price_says_that_it_is_nominal_and_of_when(self):
        told = ListPrice("openai", "gpt-4o").told
        assert "nominal" in told and re.search(r"\d{4}-\d\d-\d\d", told) and "--price" in told

    @pytest.mark.parametrize(
        ("provider", "name"), [("openai", "qwen3"), ("openai", "gpt-4o-nonesuch"), ("nobody", "x")]
    )
    def test_a_model_that_is_not_listed_has_no_price(self, provider, name):
        assert list_price(provider, name) is None

    def test_an_unknown_price_is_unknown_and_not_zero(self):
        model = open_model("openai:nonesuch", base_url="http://127.0.0.1:9/v1", environ={})
        assert model.usd_at_most(HELLO) is None

    def test_a_server_of_ones_own_costs_nothing(self):
        assert open_model("ollama:qwen3", environ={}).usd_at_most(HELLO) == 0
        there = open_model("vllm:qwen3", base_url="http://10.0.0.1:8000/v1", environ={})
        passed_on = open_model("ollama:qwen3-cloud", environ={})
        assert there.usd_at_most(HELLO) is None and passed_on.usd_at_most(HELLO) is None

    def test_a_price_that_is_given_counts(self):
        model = open_model("openai:gpt-4o", price=Price(1e6, 0.0), environ=EVERY_KEY)
        assert model.usd_at_most(HELLO) == pytest.approx(HELLO.rough_tokens())

    def test_the_most_a_call_can_cost_counts_with_the_dearest_input(self):
        model = open_model("openai:m", price=Price(1.0, 0.0, written=2.0), environ=EVERY_KEY)
        assert model.usd_at_most(HELLO) == pytest.approx(HELLO.rough_tokens() * 2 / 1e6)

    def test_tokens_that_are_not_known_have_no_price(self):
        assert Price(1.0, 1.0).usd(Usage(1, None, 3)) is None
        assert ListPrice("openai", "gpt-4o").usd(Usage(1, 3, None)) is None

    def test_parsing(self):
        assert Price.parse("0.15, 0.6") == Price(0.15, 0.6)
        assert Price.parse("3,15,0.3,3.75") == Price(3.0, 15.0, 0.3, 3.75)

    @pytest.mark.parametrize("given", ["1", "a,b", "-1,2", "1,2,3,4,5", "", "nan,1", "inf,1"])
    def test_what_is_no_price(self, given):
        with pytest.raises(UsageError, match="no price"):
            Price.parse(given)


class TestCache:
    def test_key_is_the_full_request_and_the_repeat(self):
        base = HELLO
        find = Tool("find", "Find.", {"type": "object"})
        others = [
            ChatRequest((Message("user", "hello"),), max_tokens=100),
            replace(base, max_tokens=101),
            replace(base, temperature=0.1),
            replace(base, seed=1),
            replace(base, repeat=1),
            replace(base, schema={"type": "object"}),
            replace(base, tools=(find,)),
            replace(base, one_call=True),
            base.with_messages(Message("assistant", "", native={"parts": []})),
            base.with_messages(Message("assistant", "")),
        ]
        keys = {request.key("m") for request in [base, *others]} | {base.key("other")}
        assert len(keys) == len(others) + 2
        assert base.key("m") == replace(base).key("m")

    def test_replies_survive_with_their_cost(self, tmp_path):
        path = tmp_path / "cache.jsonl"
        with serve([text("one", tokens=(9, 4), cached=5), text("two")]) as server:
            model = RemoteModel("openai", "tester", server.url, price=Price(1, 1))
            first = CachedModel(model, ReplyCache(path)).complete(HELLO)
            again = CachedModel(model, ReplyCache(path)).complete(HELLO)
            assert CachedModel(model, ReplyCache(path)).usd_at_most(HELLO) == 0
        assert len(server.requests) == 1
        assert (first.cached, again.cached) == (False, True)
        assert again.usage == first.usage and again.usage.cached_tokens == 5

    def test_a_reply_that_was_streamed_answers_the_same_request(self, tmp_path):
        class Quiet:
            def text(self, piece): ...
            def again(self, reason): ...

        with serve([text("one"), text("two")]) as server:
            model = CachedModel(RemoteModel("openai", "t", server.url), ReplyCache(tmp_path / "c.jsonl"))
            assert model.complete(HELLO, watch=Quiet()).text == model.complete(HELLO).text == "one"

    def test_a_torn_line_is_passed_over_and_kept(self, tmp_path):
        path = tmp_path / "cache.jsonl"
        with serve([text("one"), text("two")]) as server:
            model = RemoteModel("openai", "tester", server.url)
            CachedModel(model, ReplyCache(path)).complete(HELLO)
            whole = path.read_bytes()
            path.write_bytes(whole[:-20])
            CachedModel(model, ReplyCache(path)).complete(HELLO)
        lines = path.read_bytes().splitlines()
        assert lines[0] == whole[:-20]
        assert json.loads(lines[1])["reply"]["text"] == "two"


class TestLimiter:
    def clock(self):
        state = {"now": 0.0}

        def sleep(seconds):
            state["now"] += seconds

        return state, lambda: state["now"], sleep

    def test_calls_per_minute(self):
        state, clock, sleep = self.clock()
        limiter = RateLimiter(3, clock=clock, sleep=sleep)
        for _ in range(7):
            limiter.acquire(1)
        assert state["now"] == pytest.approx(120.0)

    def test_tokens_per_minute(self):
        state, clock, sleep = self.clock()
        limiter = RateLimiter(0, 100, clock=clock, sleep=sleep)
        ticket = limiter.acquire(60)
        limiter.settle(ticket, 10)
        limiter.acquire(60)
        assert state["now"] == 0
        limiter.acquire(60)
        assert state["now"] == pytest.approx(60.0)
        limiter.acquire(1000)
        assert state["now"] == pytest.approx(120.0)

    def test_deadline(self):
        _, clock, sleep = self.clock()
        limiter = RateLimiter(1, clock=clock, sleep=sleep)
        limiter.acquire(1)
        with pytest.raises(DeadlineError):
            limiter.acquire(1, deadline=30.0)

    def test_tries_again_count_too(self):
        state, clock, sleep = self.clock()
        limiter = RateLimiter(2, clock=clock, sleep=sleep)
        from tests.models.scripted import error

        with serve([error(500), error(500), text("x")]) as server:
            model = RemoteModel("openai", "m", server.url, limiter=limiter, sleep=lambda _: None)
            model.complete(HELLO)
        assert state["now"] == pytest.approx(60.0)

    def test_one_for_all_models_of_an_address(self):
        first = open_model("openai:a", environ=EVERY_KEY, calls_per_minute=77)
        second = open_model("openai:b", environ=EVERY_KEY, calls_per_minute=77)
        other = open_model("deepseek:b", environ=EVERY_KEY, calls_per_minute=77)
        assert first._limiter is second._limiter
        assert first._limiter is not other._limiter
