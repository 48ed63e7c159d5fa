"""The play for BG Stats has every field that its description calls required, in the described form."""

import json
import re
from datetime import UTC, datetime
from urllib.parse import unquote

from tests.support.past_evenings import evening
from tilekeeper.companion.game_night.profiles import Profile, Profiles
from tilekeeper.companion.text.bg_stats import LINK, bg_stats_link, bg_stats_play
from tilekeeper.companion.text.names import edition_words


def test_play_has_players_ranks_date_and_length():
    recorded = evening(4, rounds=2, names=("Ada", "Bo", "Cléo & Dan", "Eve"))
    play = bg_stats_play(recorded, "00ff", Profiles())
    assert (play["sourceName"], play["sourcePlayId"]) == ("Tilekeeper", "00ff")
    assert play["game"] == {
        "name": "Rummikub",
        "sourceGameId": "rummikub",
        "bggId": 811,
        "highestWins": True,
        "noPoints": False,
    }
    assert play["board"] == edition_words(recorded.start.edition)
    ended = datetime.strptime(play["playDate"], "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
    first, last = (datetime.fromisoformat(recorded.records[at].note.at) for at in (0, -1))
    assert ended == last.replace(microsecond=0)
    assert play["durationMin"] == round((last - first).total_seconds() / 60) > 0
    sheet = recorded.state.sheet
    for seat, player in enumerate(play["players"]):
        assert player["name"] == player["sourcePlayerId"] == recorded.state.players[seat]
        assert player["winner"] is (seat in sheet.leaders)
        assert player["score"] == sheet.totals[seat]
    assert min(player["rank"] for player in play["players"]) == 1
    assert [player["startPlayer"] for player in play["players"]].count(True) == 1


def test_link_holds_the_whole_play():
    play = bg_stats_play(
        evening(1, names=("Ada & Bö", "Zoë", "Tom", "Mia")), "a", Profiles((Profile("Zoë Z.", ("Zoë",)),))
    )
    assert [player["name"] for player in play["players"]] == ["Ada & Bö", "Zoë Z."]
    link = bg_stats_link(play)
    assert link.startswith(LINK)
    assert re.fullmatch(r"[\w.~%-]+", link.removeprefix(LINK), re.ASCII)
    assert json.loads(unquote(link.removeprefix(LINK))) == play
