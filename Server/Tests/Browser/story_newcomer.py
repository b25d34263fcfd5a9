"""Somebody who has never seen Belfry, with the two addresses that the demonstration prints (CON-16)."""
import os
import re
import time

from handset import close_message
from webdriver import Browser

# From the demonstration's address to the push on the phone, in seconds. A busy machine stretches them, so they are told
# by every run and held by those that measure.
MOST = 60
IS_MEASURED = bool(os.environ.get("BELFRY_TEST_ENDURANCE"))
TITLE = "My own first push"


def newcomer(driver, demo, checks):
    """Opens the console and the phone, and gets a push of their own."""
    begun = time.monotonic()
    with Browser(driver) as console, Browser(driver) as phone:
        console.open(demo.welcome)
        checks.expect(
            "the demonstration's address signs in, by itself", console.until(lambda: "/welcome" not in console.address))
        phone.open(demo.phone)
        _allow_notifications(phone, checks)
        console.press(re.compile("Compose"))
        console.find("field", "Title")
        console.fill("Name", "First")
        console.fill("Title", TITLE)
        console.fill("Text", "It took less than a minute.")
        console.press("Save the draft")
        console.press("Launch now")
        console.answer_question()
        checks.expect("the launch is told", console.sees("The campaign was launched."), console.text)
        checks.expect("the phone shows the push", phone.sees(TITLE, 4 * MOST), phone.text)
        taken = time.monotonic() - begun
        print(f"told: all of it took {taken:.0f} s", flush=True)
        if IS_MEASURED:
            checks.expect(f"all of it takes {MOST} seconds at most", taken <= MOST, taken)
        checks.page(phone, "the phone with a push", is_whole=False)
        _used_up(driver, demo, checks)


def _allow_notifications(phone, checks):
    phone.press("Open the phone")
    phone.press(re.compile("^Shop"))
    checks.expect("the demonstration greets whoever opens the app", close_message(phone), phone.text)
    checks.expect("the greeting is gone", phone.until(lambda: not phone.all("iframe.message")), phone.text)
    phone.press("Turn on notifications")
    checks.page(phone, "the phone that asks", is_whole=False)
    phone.press("Allow")
    checks.expect("the phone registers by itself", phone.sees("The server has it since"), phone.text)


def _used_up(driver, demo, checks):
    with Browser(driver) as other:
        other.open(demo.welcome)
        checks.expect("the address signs in once", other.sees("This address signs in once"), other.text)
        checks.page(other, "the address that was used", 410, is_whole=False)
