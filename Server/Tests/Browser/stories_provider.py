"""Signing in by an identity provider, over the network and through a browser (CON-3)."""
import re

from console import Server
from provider import CLIENT, Provider
from webdriver import Browser


def provider(driver, program, libraries, checks):
    """A person signs in by their company's provider, gets a role, and works; nobody else gets in by it."""
    with Provider(libraries) as idp:
        options = ["--oidc-issuer", idp.issuer, "--oidc-client-id", CLIENT[0], "--oidc-name", "Example"]
        with Server(program, options, {"BELFRY_OIDC_CLIENT_SECRET": CLIENT[1]}) as server:
            server.belfry("app", "create", "shop")
            with Browser(driver) as browser:
                _declined(browser, server, checks)
                _first_time(browser, server, checks)
                server.belfry("user", "role", "shop", "ann@example.com", "marketer")
                _with_a_role(browser, server, checks)
            with Browser(driver) as browser:
                _another_name(browser, server, checks)
        checks.expect("every request to the provider was right", idp.failures == [], idp.failures)


def _declined(browser, server, checks):
    browser.open(server.page("/apps/shop/campaigns"))
    browser.press("Sign in with Example")
    browser.press("Decline")
    checks.expect("who declines is told", browser.sees("The sign-in was declined at the provider."), browser.text)
    checks.page(browser, "the sign-in page after a refusal", 401)


def _first_time(browser, server, checks):
    browser.open(server.page("/account"))
    checks.page(browser, "the sign-in page with a provider")
    browser.press("Sign in with Example")
    browser.press("Ann Ace, ann")
    # Through two redirects: the click returns when the first page of them begins.
    returned = browser.until(lambda: browser.address == server.page("/account"))
    checks.expect("who signs in comes back to where they wanted", returned, browser.address)
    checks.expect("they are known by name", browser.sees("Ann Ace signs in as ann@example.com"), browser.text)
    checks.page(browser, "the account of a person of a provider")
    browser.open(server.page("/apps/shop"))
    checks.expect("without a role they see no app", browser.status == 404, browser.status)
    checks.complaints(browser, 404)


def _with_a_role(browser, server, checks):
    browser.open(server.page("/apps/shop/campaigns"))
    # A first role ends no session: there is no second sign-in.
    checks.expect("with a role they see the app", bool(browser.find("heading", "Campaigns")), browser.text)
    checks.expect("and may compose", bool(browser.until(lambda: browser.elements("link", re.compile("^Compose")))))


def _another_name(browser, server, checks):
    browser.open(server.page())
    browser.press("Sign in with Example")
    browser.press("Olaf Night, mallory")
    checks.expect("a stranger has no role", browser.sees("You have no role in any app yet"), browser.text)
    names = server.belfry("user", "list")
    checks.expect("and a name that nobody chose", re.search(r"person-[0-9a-f]{20}", names) is not None, names)
