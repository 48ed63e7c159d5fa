"""The OpenAPI document is valid and complete."""

import pytest


@pytest.mark.slow
def test_document_is_valid_and_has_all_endpoints(hand_app, by_hand):
    from openapi_spec_validator import validate

    document = by_hand.get("/api/openapi.json")
    validate(document)
    documented = {path.replace("{", "<").replace("}", ">") for path in document["paths"]}
    served = {rule.rule.replace("int:", "") for rule in hand_app.url_map.iter_rules()}
    pages = {
        "/",
        "/camera",
        "/evenings",
        "/evenings/<evening>",
        "/first",
        "/host/<key>",
        "/join",
        "/me",
        "/me/<key>",
        "/offline",
        "/overlay",
        "/player",
        "/scoreboard",
        "/setup",
        "/trust",
    }
    files = {"/assets/<name>", "/manifest.webmanifest", "/service-worker.js"}
    certificates = {"/trust/seen.svg", "/trust/tilekeeper.crt", "/trust/tilekeeper.mobileconfig"}
    assert served - documented == pages | files | certificates
    assert all(operation["summary"] for path in document["paths"].values() for operation in path.values())
