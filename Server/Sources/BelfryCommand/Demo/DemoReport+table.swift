extension DemoReport {
    /// The story's figures, step by step, for people.
    var table: String {
        var table = TextTable("STEP", "ALL", "APNS", "FCM", "WEB PUSH", "WHAT HAPPENED")
        func add(_ step: String, _ all: Int, _ count: (Service) -> Int, _ what: String) {
            let parts = [services.apns, services.fcm, services.webpush].map { String(count($0)) }
            table.add(step, "\(all)", parts[0], parts[1], parts[2], what)
        }
        add("devices", devices, \.devices, "simulated phones and browsers, each with the real SDK")
        add("registered", registered, \.registered, "registrations stored and processed")
        add("audience", push.audience, \.push.audience, "in the ledger of the push campaign")
        add("accepted", push.accepted, \.push.accepted, "taken by the push service over TLS and HTTP/2")
        add(
            "suppressed", push.suppressed, \.push.suppressed,
            "not sent: the person said no, in the app or to the system")
        add("rejected", push.rejected, \.push.rejected, "refused by the push service: unregistered or foreign token")
        add("displayed", push.displayed, \.push.displayed, "shown, reported by the device")
        add("opened", push.opened, \.push.opened, "opened, reported by the device")
        addCenter { step, figure, what in
            add(step, figure(messageCenter), { figure($0.messageCenter) }, what)
        }
        addInApp { step, figure, what in
            add(step, figure(inApp), { figure($0.inApp) }, what)
        }
        return table.text
    }

    private func addCenter(_ add: (String, (MessageCenter) -> Int, String) -> Void) {
        add("kept push", \.keptPush.accepted, "a second push: it stays in the message center of those who got it")
        add("message", \.accepted, "a message with a badge, put into a center, whoever had said no to pushes")
        add("fetched", \.fetched, "devices that run and have found the message in the center")
        add("badge", \.badged, "devices whose icon showed its badge")
        add("in list", \.displayed, "shown in the center's list, reported by the device")
        add("in full", \.opened, "opened in the center, reported by the device")
        add("rich", \.richContents, "pages of the kept push, fetched once and opened")
        add("read", \.read, "messages read; the others stay unread")
        add("unread", \.unread, "messages that nobody has opened yet")
        add("agreed", \.badgesAgreed, "icons that show in the end what the server holds")
    }

    private func addInApp(_ add: (String, (InApp) -> Int, String) -> Void) {
        add("published", \.audience, "in the ledger of an in-app campaign that waits for an event")
        add("woken", \.woken, "a silent push told them to fetch: browsers and whoever had said no get none")
        add("downloaded", \.accepted, "have it: the others fetched it as a session began; deleted apps never do")
        add("greeted", \.greeted, "have shown another one as a session began")
        add("triggered", \.displayed, "have shown it when its event happened, reported by the device")
        add("pressed", \.opened, "its button was pressed, reported by the device")
        add("edited", \.edited, "have shown its newer version when the event happened again")
        add("recalled", \.recalled, "copies that are gone since it was taken back")
    }
}
