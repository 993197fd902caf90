# SPDX-License-Identifier: MIT
"""Headless Chromium through its driver, with logs of what a page did."""
import json
import os
import pathlib
import shutil
import sys
import time

try:
    from selenium import webdriver
    from selenium.common.exceptions import StaleElementReferenceException
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys
except ImportError:
    print("skipped: no python3-selenium; script/bootstrap web installs it")
    sys.exit(77)


def found(*names):
    for name in names:
        if shutil.which(name):
            return shutil.which(name)
    print(f"skipped: no {names[0]}; script/bootstrap web installs it")
    sys.exit(77)


ROOT = pathlib.Path(__file__).resolve().parents[2]


class Browser:
    def __init__(self):
        options = webdriver.ChromeOptions()
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
                         "--disable-dev-shm-usage", "--disable-background-networking"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        options.binary_location = found("chromium", "google-chrome")
        found("chromedriver")
        self.driver = webdriver.Chrome(options=options)
        self.driver.set_page_load_timeout(60)
        self.driver.set_script_timeout(60)
        self.shots = os.environ.get("SMP_WEB_SHOTS")
        self.size(1440, 900)

    def size(self, width, height):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def night(self, dark):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
        time.sleep(0.1)  # buttons change colour with a transition

    def open(self, page, link=""):
        self.driver.get("about:blank")
        self.driver.get_log("browser")
        self.driver.get_log("performance")
        self.driver.get(pathlib.Path(page).resolve().as_uri() + link)
        for _ in range(200):  # the playground compiles its program first
            ready = self.js("return document.documentElement.dataset.ready")
            if ready == "yes":
                break
            time.sleep(0.05)
        assert ready == "yes", f"{page}: not drawn: {self.driver.get_log('browser')}"

    def js(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def press(self, *keys):
        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()

    def text(self, selector):
        return self.js("const node = document.querySelector(arguments[0]); return node && node.innerText", selector)

    def click(self, selector):
        """Tries again if the page was redrawn before the click."""
        try:
            self.driver.find_element("css selector", selector).click()
        except StaleElementReferenceException:
            self.driver.find_element("css selector", selector).click()

    def hover(self, selector):
        ActionChains(self.driver).move_to_element(self.driver.find_element("css selector", selector)).perform()

    def shot(self, name):
        """Takes a screenshot; kept if SMP_WEB_SHOTS names a folder."""
        if self.shots:
            self.driver.save_screenshot(os.path.join(self.shots, name + ".png"))

    def check_quiet(self, page):
        """No message in the console, and no request but for the page itself."""
        said = [entry["message"] for entry in self.driver.get_log("browser")]
        assert not said, f"{page}: {said}"
        own = pathlib.Path(page).resolve().as_uri()
        for entry in self.driver.get_log("performance"):
            event = json.loads(entry["message"])["message"]
            if event["method"] == "Network.requestWillBeSent":
                url = event["params"]["request"]["url"]
                assert url.split("#")[0] == own or url.startswith("data:"), f"{page} asked for {url}"

    def faults(self, rules=None):
        """What axe-core says against the page as it is drawn now; None without it (script/bootstrap --axe). `rules`: only these."""
        program = pathlib.Path(os.environ.get("SMP_WEB_AXE", ROOT / ".axe" / "axe.min.js"))
        if not program.exists():
            return None
        if not self.js("return Boolean(window.axe)"):
            self.js(program.read_text() + "; window.axe = axe;")
        return self.driver.execute_async_script("""const done = arguments[arguments.length - 1];
            axe.run(document, arguments[0]).then(result => done(result.violations.map(one => `${one.id}: ${one.nodes.length} times, ${one.nodes[0].html.slice(0, 120)}`)), bad => done([String(bad)]));""", {"runOnly": rules} if rules else {})

    def quit(self):
        self.driver.quit()


__all__ = ["Browser", "Keys"]
