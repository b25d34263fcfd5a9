import BelfryAPI
import BelfryModel
import BelfryServerModel
import BelfryWire

extension DemoReport {
    /// An in-app campaign that waits for an event, is edited and taken back, and one for the start of a session.
    struct InApp: Hashable, Sendable, Codable {
        /// The ledger of the campaign that waits for an event; accepted: downloaded; opened: its button was pressed.
        var audience = 0
        var accepted = 0
        var suppressed = 0
        var cancelled = 0
        var displayed = 0
        var opened = 0
        /// How often it was on a screen, in all its versions.
        var displays = 0
        /// Devices that a silent push told to fetch. The others fetched when a session began.
        var woken = 0
        /// Devices that showed the other campaign, as a session began.
        var greeted = 0
        /// Devices that showed the newer version.
        var edited = 0
        /// Devices that had a copy and have none any more.
        var recalled = 0
    }
}

extension DemoReport.InApp {
    /// What the campaigns count, and what the devices of all push services have found.
    ///
    /// - Parameters:
    ///   - basket: the campaign that waits for an event.
    ///   - greeting: the one for the start of a session.
    init(basket: CampaignResponse, greeting: CampaignResponse, services: [DemoReport.Service]) {
        let counts = basket.counts
        audience = counts.audience
        accepted = counts.accepted
        suppressed = counts.suppressed
        cancelled = counts.cancelled
        displayed = counts.displayed
        opened = counts.opened
        displays = basket.inAppCounts?.displays ?? 0
        greeted = greeting.inAppCounts?.displayedBy ?? 0
        func sum(_ figure: (Self) -> Int) -> Int { services.reduce(0) { $0 + figure($1.inApp) } }
        woken = sum(\.woken)
        edited = sum(\.edited)
        recalled = sum(\.recalled)
    }

    /// Adds what the ledger says of one device.
    mutating func add(state: String, facts: Set<String>) {
        var ledger = DemoReport.Push()
        ledger.add(state: state, facts: facts)
        audience += ledger.audience
        accepted += ledger.accepted
        suppressed += ledger.suppressed
        displayed += ledger.displayed
        opened += ledger.opened
        if DeliveryState(rawValue: state) == .cancelled { cancelled += 1 }
    }

    /// Adds what one device has found of the two campaigns, by their ids.
    mutating func add(_ sight: InAppSight, basket: String, greeting: String) {
        let versions = sight.shown[basket, default: []]
        displays += versions.count
        if sight.wasWoken { woken += 1 }
        if sight.shown[greeting] != nil { greeted += 1 }
        if versions.contains(2) { edited += 1 }
        if !versions.isEmpty, !sight.held.contains(basket) { recalled += 1 }
    }
}
