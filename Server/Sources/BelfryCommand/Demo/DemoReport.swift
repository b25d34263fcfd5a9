import BelfryAPI
import BelfryModel
import BelfryServerModel

/// The results of the demonstration, as it prints them.
struct DemoReport: Hashable, Sendable, Codable {
    /// The ledger figures of the push campaign.
    struct Push: Hashable, Sendable, Codable {
        var audience = 0
        var accepted = 0
        var suppressed = 0
        var rejected = 0
        var displayed = 0
        var opened = 0
    }

    /// The figures of people who logged in and out, and of apps that were killed.
    struct People: Hashable, Sendable, Codable {
        /// Devices whose contact the server knows.
        var loggedIn = 0
        /// Apps whose process was killed.
        var killed = 0
        /// Killed apps that came back and whose unsent event arrived exactly once.
        var recovered = 0
        /// Devices that no longer show anything of the person and that have no contact on the server.
        var loggedOut = 0
    }

    /// The figures of a message-center campaign with a badge, and of a push that is kept in a message center.
    struct MessageCenter: Hashable, Sendable, Codable {
        /// The ledger of the message-center campaign. Its displays and opens happen in the message center.
        var audience = 0
        var accepted = 0
        var suppressed = 0
        var rejected = 0
        var displayed = 0
        var opened = 0
        /// Devices that fetched the message.
        var fetched = 0
        /// Devices whose icon showed the campaign's badge.
        var badged = 0
        /// Rich messages that were opened.
        var richContents = 0
        /// Messages on all devices that were read at the end, and those that were not.
        var read = 0
        var unread = 0
        /// Devices whose icon showed the server's badge number at the end.
        var badgesAgreed = 0
        /// The ledger of the push that is kept in a message center.
        var keptPush = Push()
    }

    /// The devices that have their tokens from one push service, or would have them if their users had not opted out.
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
    /// The push campaign's own figures.
    var push: Push
    /// The message-center campaigns' own figures, and the devices' results.
    var messageCenter: MessageCenter
    /// The in-app campaigns' own figures, and the devices' results.
    var inApp: InApp
    /// The sums of the ledger's rows for each device.
    var services: Services
}

/// The numbers of the devices whose people log in and out, or whose processes are killed.
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
    /// Takes the campaign's own figures.
    init(_ counts: CampaignCounts) {
        audience = counts.audience
        accepted = counts.accepted
        suppressed = counts.suppressed
        rejected = counts.rejected
        displayed = counts.displayed
        opened = counts.opened
    }

    /// Adds the ledger row of one device.
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
    /// Adds up the campaigns' own figures and the results of the devices of all push services.
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

    /// Adds the ledger row of one device.
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

    /// Adds the results of one device.
    ///
    /// - Parameters:
    ///   - center: the message center that the message is in.
    ///   - badge: the server's badge number.
    mutating func add(_ visit: MessageCenterVisit, in center: String, badge: Int) {
        if visit.messages[center, default: 0] > 0 { fetched += 1 }
        if visit.badge > 0 { badged += 1 }
        richContents += visit.richContents
        read += visit.read
        unread += visit.unread
        if visit.badgeLeft == badge { badgesAgreed += 1 }
    }
}
