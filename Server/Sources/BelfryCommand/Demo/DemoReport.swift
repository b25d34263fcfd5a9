import BelfryModel

/// What the demonstration found, as it prints it.
struct DemoReport: Hashable, Sendable, Codable {
    struct Push: Hashable, Sendable, Codable {
        var audience: Int
        var accepted: Int
        var suppressed: Int
        var rejected: Int
        var displayed: Int
        var opened: Int

        init(_ counts: CampaignCounts) {
            audience = counts.audience
            accepted = counts.accepted
            suppressed = counts.suppressed
            rejected = counts.rejected
            displayed = counts.displayed
            opened = counts.opened
        }
    }

    var devices: Int
    var registered: Int
    var push: Push

    var table: String {
        var table = TextTable("STEP", "DEVICES", "WHAT HAPPENED")
        table.add("devices", "\(devices)", "simulated phones, each with the real SDK")
        table.add("registered", "\(registered)", "registrations stored and processed")
        table.add("audience", "\(push.audience)", "in the ledger of the push campaign")
        table.add("accepted", "\(push.accepted)", "taken by the push service over TLS and HTTP/2")
        table.add("suppressed", "\(push.suppressed)", "not sent: the person said no, in the app or to the system")
        table.add("rejected", "\(push.rejected)", "refused by the push service: unregistered or malformed token")
        table.add("displayed", "\(push.displayed)", "shown, reported by the device")
        table.add("opened", "\(push.opened)", "opened, reported by the device")
        return table.text
    }
}
