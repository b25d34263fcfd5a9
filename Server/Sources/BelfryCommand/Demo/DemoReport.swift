import BelfryAPI
import BelfryModel
import BelfryServerModel

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

    /// People who logged in and out, and apps that were killed.
    struct People: Hashable, Sendable, Codable {
        /// Devices on which the server knows the person.
        var loggedIn = 0
        /// Apps whose process was killed.
        var killed = 0
        /// Those of them that came back, and whose unsent event arrived once.
        var recovered = 0
        /// Devices that show nothing of the person any more, and that the server takes for nobody's.
        var loggedOut = 0
    }

    /// A message-center campaign with a badge, and a push that is kept in a center.
    struct MessageCenter: Hashable, Sendable, Codable {
        /// The ledger of the message-center campaign. Whoever displays and opens does so in the center.
        var audience = 0
        var accepted = 0
        var suppressed = 0
        var rejected = 0
        var displayed = 0
        var opened = 0
        /// Devices that have fetched the message.
        var fetched = 0
        /// Devices whose icon showed the campaign's badge.
        var badged = 0
        /// Rich messages that were opened.
        var richContents = 0
        /// Messages on all devices that had been read by the end, and those that had not.
        var read = 0
        var unread = 0
        /// Devices whose icon showed in the end what the server holds.
        var badgesAgreed = 0
        /// The ledger of the push that is kept.
        var keptPush = Push()
    }

    /// The devices that have their tokens from one push service, or would have if their persons had not said no.
    struct Service: Hashable, Sendable, Codable {
        var devices = 0
        var registered = 0
        var people = People()
        var push = Push()
        var messageCenter = MessageCenter()
        var inApp = InApp()
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
    var people: People
    /// As the campaign itself counts.
    var push: Push
    /// As the campaigns themselves count, and as the devices say.
    var messageCenter: MessageCenter
    /// The same.
    var inApp: InApp
    /// As the ledger says of each device.
    var services: Services
}

/// The numbers of the devices of whose people, or processes, the story tells.
struct DemoPeople: Hashable, Sendable {
    var loggedIn: Set<Int> = []
    var killed: Set<Int> = []
    var recovered: Set<Int> = []
    var loggedOut: Set<Int> = []
}

extension DemoReport.People {
    init(_ people: DemoPeople) {
        loggedIn = people.loggedIn.count
        killed = people.killed.count
        recovered = people.recovered.count
        loggedOut = people.loggedOut.count
    }

    mutating func add(_ people: DemoPeople, of device: Int) {
        if people.loggedIn.contains(device) { loggedIn += 1 }
        if people.killed.contains(device) { killed += 1 }
        if people.recovered.contains(device) { recovered += 1 }
        if people.loggedOut.contains(device) { loggedOut += 1 }
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

extension DemoReport.MessageCenter {
    /// What the campaigns count, and what the devices of all push services have found.
    init(_ campaign: CampaignResponse, keptPush: CampaignCounts, services: [DemoReport.Service]) {
        audience = campaign.counts.audience
        accepted = campaign.counts.accepted
        suppressed = campaign.counts.suppressed
        rejected = campaign.counts.rejected
        displayed = campaign.messageCenterCounts?.displayedBy ?? 0
        opened = campaign.messageCenterCounts?.openedBy ?? 0
        self.keptPush = .init(keptPush)
        func sum(_ figure: (Self) -> Int) -> Int { services.reduce(0) { $0 + figure($1.messageCenter) } }
        fetched = sum(\.fetched)
        badged = sum(\.badged)
        richContents = sum(\.richContents)
        read = sum(\.read)
        unread = sum(\.unread)
        badgesAgreed = sum(\.badgesAgreed)
    }

    /// Adds what the ledger says of one device.
    mutating func add(state: String, facts: Set<String>) {
        var ledger = DemoReport.Push()
        ledger.add(state: state, facts: [])
        audience += ledger.audience
        accepted += ledger.accepted
        suppressed += ledger.suppressed
        rejected += ledger.rejected
        if facts.contains("messageDisplayed") { displayed += 1 }
        if facts.contains("messageOpened") { opened += 1 }
    }

    /// Adds what one device has found.
    ///
    /// - Parameters:
    ///   - center: the one that the message is in.
    ///   - badge: what the server holds.
    mutating func add(_ visit: MessageCenterVisit, in center: String, badge: Int) {
        if visit.messages[center, default: 0] > 0 { fetched += 1 }
        if visit.badge > 0 { badged += 1 }
        richContents += visit.richContents
        read += visit.read
        unread += visit.unread
        if visit.badgeLeft == badge { badgesAgreed += 1 }
    }
}
