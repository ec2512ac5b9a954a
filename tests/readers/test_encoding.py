"""Short tables in many encodings, whose bytes are valid in several of them."""

from __future__ import annotations

import pytest

from headwater.readers._encoding import decode

TEXTS = {
    "euc_kr": "지역,인구\n강릉시,213442\n전주시,657269\n목포시,218589\n",
    "cp949": "시도,시군구\n경기도,성남시\n경상북도,포항시\n",
    "euc_jp": "市町村,人口\n松本市,241145\n長野県,2048011\n金沢市,463254\n",
    "shift_jis": "氏名,住所\n高橋一郎,愛知県名古屋市\n",
    "iso2022_jp": "市町村,人口\n松本市,241145\n",
    "gb18030": "城市,人口\n成都,20937757\n西安,12952907\n青岛,10071722\n",
    "big5": "縣市,人口\n花蓮縣,324372\n臺東縣,215261\n嘉義市,266005\n",
    "koi8-u": "Місто,Населення\nЧернівці,264298\nІрпінь,65167\n",
    "iso8859-13": "pilsēta;iedzīvotāji\nDaugavpils;82046\nRēzekne;27820\nVentspils;33906\nJūrmala;48606\n",
    "cp850": "município;nome\nParaná;Antônio\nGoiânia;Conceição\n",
    "cp1252": "It’s the mayor’s café\n",
    "mac_roman": "Straße;Größe\n",
}


@pytest.mark.parametrize("encoding", TEXTS)
def test_a_short_table_is_read_as_it_was_written(encoding: str) -> None:
    found = decode(TEXTS[encoding].encode(encoding))
    assert found.text == TEXTS[encoding]
    assert found.replaced == 0


def test_quotation_marks_of_windows_are_no_letters() -> None:
    for text in ("don’t", "He said “no” and “yes”.", "‘single’ ones"):
        assert decode(text.encode("cp1252")).text == text
