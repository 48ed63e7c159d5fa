"""Profiles: each name belongs to one player, and people who have met can't be the same person."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilekeeper.companion.game_night.profiles import Animal, Profile, Profiles, have_met, profiles_from_json

NAMES = st.sampled_from(("Ann", "Anna", "Bo", "Cleo", "Dan"))
PROFILES = st.builds(
    lambda names, colour, animal: Profile(names[0], tuple(names[1:]), colour, animal),
    st.lists(NAMES, min_size=1, max_size=4, unique=True),
    st.none() | st.integers(0, 7),
    st.none() | st.sampled_from(Animal),
)


def test_merged_names_are_one_player_and_an_unknown_name_is_itself():
    profiles = Profiles().with_profile(Profile("Anna", ("Ann",), 2, Animal.FOX))
    assert profiles.of("Ann") == profiles.of("Anna") == Profile("Anna", ("Ann",), 2, Animal.FOX)
    assert profiles.of("Bo") == Profile("Bo")


def test_names_taken_from_a_profile_leave_the_rest_of_it():
    profiles = Profiles().with_profile(Profile("Ann", ("Anna", "Bo"), colour=1))
    profiles = profiles.with_profile(Profile("Anna", animal=Animal.OWL))
    assert profiles.of("Bo") == Profile("Ann", ("Bo",), colour=1)
    assert profiles.of("Anna") == Profile("Anna", animal=Animal.OWL)
    assert profiles.with_profile(Profile("Anna")).of("Anna") == Profile("Anna")


@given(st.lists(PROFILES, max_size=6))
def test_each_name_belongs_to_one_profile_whatever_is_merged(changes):
    profiles = Profiles()
    for change in changes:
        profiles = profiles.with_profile(change)
        assert profiles.of(change.name) == change
    names = [name for profile in profiles.all for name in profile.names]
    assert len(names) == len(set(names))
    assert profiles_from_json(json.loads(json.dumps(profiles.as_json()))) == profiles


@pytest.mark.parametrize("stored", [None, 5, "x", [{}], [{"name": ""}], [{"name": "A", "colour": 99}]])
def test_damaged_profiles_are_dropped(stored):
    assert profiles_from_json(stored) == Profiles()


def test_one_damaged_profile_leaves_the_others():
    kept = Profiles((Profile("Ann", colour=1), Profile("Bo", ("Bob",))))
    assert profiles_from_json([{"name": "x" * 400, "colour": 1}, *kept.as_json()]) == kept


def test_new_name_brings_its_other_names_and_a_change_keeps_the_other_fields():
    profiles = Profiles((Profile("Ann", ("Anni",), 2, Animal.FOX), Profile("Anna", ("Annette",), 5)))
    merged = profiles.changed("Ann", {"others": ("Anni", "Anna")})
    assert merged == Profile("Ann", ("Anni", "Anna", "Annette"), 2, Animal.FOX)
    assert profiles.with_profile(merged).changed("Ann", {"others": ("Anni",)}).others == ("Anni",)
    assert profiles.changed("Anni", {"colour": None}) == Profile("Anni", ("Ann",), None, Animal.FOX)


def test_merged_names_at_one_table_stay_two_players():
    profiles = Profiles((Profile("Anna", ("Ann",)),))
    assert profiles.shown_names(("Ann", "Bo")) == ("Anna", "Bo")
    assert profiles.shown_names(("Ann", "Bo", "Anna")) == ("Ann", "Bo", "Anna")


def test_two_names_of_one_evening_have_met():
    assert have_met(("Ann", "Anna"), [("Ann", "Bo"), ("Cleo", "Ann", "Anna")])
    assert not have_met(("Ann", "Anna"), [("Ann", "Bo"), ("Cleo", "Anna")])
