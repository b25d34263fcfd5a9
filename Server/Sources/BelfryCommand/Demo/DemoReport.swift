import BelfryModel

/// What the demonstration found, as it prints it.
struct DemoReport: Hashable, Sendable, Codable {
    /// The ledger of the push campaign.
    struct Push: Hashable, Sendable, Codable {
        var audience = 0
        var accepted = 0
        var suppressed = 0
        var rejected = 0
        var displayed = 0
        var opened = 0
    }

    /// The devices that have their tokens from one push service, or would have if their persons had not said no.
    struct Service: Hashable, Sendable, Codable {
        var devices = 0
        var registered = 0
        var push = Push()
    }

    struct Services: Hashable, Sendable, Codable {
        var apns = Service()
        var fcm = Service()
        var webpush = Service()

        subscript(_ provider: PushProvider) -> Service {
            get {
                switch provider {
                case .apns: apns
                case .fcm: fcm
                case .webpush: webpush
                }
            }
            set {
                switch provider {
                case .apns: apns = newValue
                case .fcm: fcm = newValue
                case .webpush: webpush = newValue
                }
            }
        }
    }

    var devices: Int
    var registered: Int
    /// As the campaign itself counts.
    var push: Push
    /// As the ledger says of each device.
    var services: Services

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
        return table.text
    }
}

extension DemoReport.Push {
    /// What the campaign counts.
    init(_ counts: CampaignCounts) {
        audience = counts.audience
        accepted = counts.accepted
        suppressed = counts.suppressed
        rejected = counts.rejected
        displayed = counts.displayed
        opened = counts.opened
    }

    /// Adds what the ledger says of one device.
    mutating func add(state: String, facts: Set<String>) {
        guard let state = DeliveryState(rawValue: state) else { return }
        audience += 1
        switch state {
        case .accepted: accepted += 1
        case .suppressed: suppressed += 1
        case .rejected: rejected += 1
        case .pending, .cancelled: break
        }
        if facts.contains(Engagement.displayed.rawValue) { displayed += 1 }
        if facts.contains(Engagement.opened.rawValue) { opened += 1 }
    }
}
