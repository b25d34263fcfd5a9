import BelfryAPI
import BelfryModel
import BelfryServerModel
import BelfryWire

extension DemoReport {
    /// The figures of two in-app campaigns: one waits for an event, is edited and recalled; the other shows at the
    /// start of a session.
    struct InApp: Hashable, Sendable, Codable {
        /// The ledger of the campaign that waits for an event. Accepted means downloaded; opened means that its button
        /// was pressed.
        var audience = 0
        var accepted = 0
        var suppressed = 0
        var cancelled = 0
        var displayed = 0
        var opened = 0
        /// How often the message was on a screen, in all its versions.
        var displays = 0
        /// Devices that fetched because of a silent push. The others fetched when a session began.
        var woken = 0
        /// Devices that showed the other campaign when a session began.
        var greeted = 0
        /// Devices that showed the newer version.
        var edited = 0
        /// Devices that had the message and no longer have it after the recall.
        var recalled = 0
    }
}

extension DemoReport.InApp {
    /// Adds up the campaigns' own figures and the results of the devices of all push services.
    ///
    /// - Parameters:
    ///   - basket: the campaign that waits for an event.
    ///   - greeting: the campaign that shows at the start of a session.
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

    /// Adds the ledger row of one device.
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

    /// Adds the results of one device for the two campaigns, which are given by their ids.
    mutating func add(_ sight: InAppSight, basket: String, greeting: String) {
        let versions = sight.shown[basket, default: []]
        displays += versions.count
        if sight.wasWoken { woken += 1 }
        if sight.shown[greeting] != nil { greeted += 1 }
        if versions.contains(2) { edited += 1 }
        if !versions.isEmpty, !sight.held.contains(basket) { recalled += 1 }
    }
}
