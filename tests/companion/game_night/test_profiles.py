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


def test_two_names_of_one_evening_have_met():
    assert have_met(("Ann", "Anna"), [("Ann", "Bo"), ("Cleo", "Ann", "Anna")])
    assert not have_met(("Ann", "Anna"), [("Ann", "Bo"), ("Cleo", "Anna")])
