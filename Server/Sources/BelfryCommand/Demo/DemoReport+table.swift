extension DemoReport {
    /// The story's figures, step by step, as a table for people.
    var table: String {
        var table = TextTable("STEP", "ALL", "APNS", "FCM", "WEB PUSH", "WHAT HAPPENED")
        func add(_ step: String, _ all: Int, _ count: (Service) -> Int, _ what: String) {
            let parts = [services.apns, services.fcm, services.webpush].map { String(count($0)) }
            table.add(step, "\(all)", parts[0], parts[1], parts[2], what)
        }
        add("devices", devices, \.devices, "simulated phones and browsers, each with the real SDK")
        add("registered", registered, \.registered, "registrations stored and processed")
        add("logged in", people.loggedIn, \.people.loggedIn, "people who logged in and whom the server knows")
        add("killed", people.killed, \.people.killed, "apps killed by SIGKILL with an unsent event, before the push")
        add("audience", push.audience, \.push.audience, "in the ledger of the push campaign")
        add("accepted", push.accepted, \.push.accepted, "accepted by the push service over TLS and HTTP/2")
        add(
            "suppressed", push.suppressed, \.push.suppressed,
            "not sent: the person opted out, in the app or in the system's settings")
        add("rejected", push.rejected, \.push.rejected, "rejected by the push service: unregistered or foreign token")
        add("displayed", push.displayed, \.push.displayed, "on a lock screen, reported by the device")
        add("opened", push.opened, \.push.opened, "tapped on there, reported by the device")
        add("recovered", people.recovered, \.people.recovered, "killed apps that came back; their event arrived once")
        addCenter { step, figure, what in
            add(step, figure(messageCenter), { figure($0.messageCenter) }, what)
        }
        addInApp { step, figure, what in
            add(step, figure(inApp), { figure($0.inApp) }, what)
        }
        add("logged out", people.loggedOut, \.people.loggedOut, "people who left; nothing of theirs is on the device")
        return table.text
    }

    private func addCenter(_ add: (String, (MessageCenter) -> Int, String) -> Void) {
        add("kept push", \.keptPush.accepted, "a second push, which recipients keep in their message center")
        add("message", \.accepted, "a message with a badge in a message center, also for opted-out devices")
        add("fetched", \.fetched, "running devices that found the message in the message center")
        add("badge", \.badged, "devices whose icon showed the badge")
        add("in list", \.displayed, "shown in the message center's list, reported by the device")
        add("in full", \.opened, "opened in the message center, reported by the device")
        add("rich", \.richContents, "pages of the kept push, each fetched once and opened")
        add("read", \.read, "messages read; the others stay unread")
        add("unread", \.unread, "messages that were not opened yet")
        add("agreed", \.badgesAgreed, "devices whose icon agrees with the server in the end")
    }

    private func addInApp(_ add: (String, (InApp) -> Int, String) -> Void) {
        add("published", \.audience, "in the ledger of an in-app campaign that waits for an event")
        add("woken", \.woken, "woken by a silent push; browsers and opted-out devices get none")
        add("downloaded", \.accepted, "downloaded it, when woken or at a session start; deleted apps never do")
        add("greeted", \.greeted, "showed another message at the start of a session")
        add("triggered", \.displayed, "showed it when its event happened, reported by the device")
        add("pressed", \.opened, "the button was pressed, reported by the device")
        add("edited", \.edited, "showed the edited version when the event happened again")
        add("recalled", \.recalled, "copies removed after the recall")
    }
}
