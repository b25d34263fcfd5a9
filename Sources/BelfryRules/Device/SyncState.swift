import Foundation

/// Everything that a device remembers about its communication with the server. It is stored before every request.
public struct SyncState: Hashable, Sendable, Codable {
    /// `X-Client-State`: opaque, from the last response (WIRE-20).
    public private(set) var clientState: String?
    public var properties = PropertiesRules()
    public var link = LinkRules()
    public var pushToken = PushTokenRules()
    public var registration = RegistrationSchedule()
    public var uploads = UploadRules()
    public var centers = MessageCenterSchedule()
    public var messageStates = MessageStateMerge()
    public var richContent = RichContentReports()
    /// The pushes in the system's list when it was last read, by their sid: each makes fetches due once (MC-4).
    public var shownPushes: [String]?
    public var badge = BadgeRules()
    public var inApp = InAppSyncSchedule()
    /// Milliseconds since 1970, or more when the clock was set back: it only grows (WIRE-21).
    public private(set) var requestOrder: Int64 = 0
    /// Seconds by which the server's clock is ahead of the device's (EVT-9).
    public private(set) var serverClockOffset: TimeInterval?
    public var clock = ClockJumps()

    public init() {}

    /// A state that an earlier version stored has no message centers, badges, in-app messages and clock.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        clientState = try values.decodeIfPresent(String.self, forKey: .clientState)
        properties = try values.decode(PropertiesRules.self, forKey: .properties)
        link = try values.decode(LinkRules.self, forKey: .link)
        pushToken = try values.decode(PushTokenRules.self, forKey: .pushToken)
        registration = try values.decode(RegistrationSchedule.self, forKey: .registration)
        uploads = try values.decode(UploadRules.self, forKey: .uploads)
        centers = try values.decodeIfPresent(MessageCenterSchedule.self, forKey: .centers) ?? MessageCenterSchedule()
        messageStates =
            try values.decodeIfPresent(MessageStateMerge.self, forKey: .messageStates) ?? MessageStateMerge()
        richContent =
            try values.decodeIfPresent(RichContentReports.self, forKey: .richContent) ?? RichContentReports()
        shownPushes = try values.decodeIfPresent([String].self, forKey: .shownPushes)
        badge = try values.decodeIfPresent(BadgeRules.self, forKey: .badge) ?? BadgeRules()
        inApp = try values.decodeIfPresent(InAppSyncSchedule.self, forKey: .inApp) ?? InAppSyncSchedule()
        requestOrder = try values.decode(Int64.self, forKey: .requestOrder)
        serverClockOffset = try values.decodeIfPresent(TimeInterval.self, forKey: .serverClockOffset)
        clock = try values.decodeIfPresent(ClockJumps.self, forKey: .clock) ?? ClockJumps()
    }

    /// Why the contact cannot be linked now; nil when nothing failed.
    public var contactFailure: CallFailure? {
        link.linkGate.lastFailure ?? link.refreshGate.lastFailure ?? properties.gate.lastFailure
    }

    /// Whether calls that need a contact can be made.
    public func isContactSettled(now: Date) -> Bool {
        properties.isSettled && !link.awaitsContact && link.decideToken(now: now) == .ready
    }

    /// The server's clock, as far as the device knows it (MC-17, EVT-9).
    public func serverTime(at now: Date) -> Date {
        now.addingTimeInterval(serverClockOffset ?? 0)
    }

    /// Call at every start.
    public mutating func launched() {
        properties.launched()
        link.launched()
    }

    /// The order of the next request.
    public mutating func nextRequestOrder(now: Date) -> Int64 {
        requestOrder = max(requestOrder + 1, Int64((now.timeIntervalSince1970 * 1000).rounded()))
        return requestOrder
    }

    /// Stores the values that every response may have, whatever its status. A response without a client state does not
    /// come from a Belfry server (WIRE-20), and then its clock does not count either.
    ///
    /// - Parameter sentAt: when the call was sent, by the device's clock. The server read its clock between then and
    ///   now, which may be hours if the device slept meanwhile: the former difference is kept as far as it is possible.
    public mutating func answered(clientState: String?, serverTime: Date?, sentAt: Date, now: Date) {
        guard let clientState, !clientState.isEmpty else { return }
        self.clientState = clientState
        guard let serverTime else { return }
        let least = serverTime.timeIntervalSince(now).rounded()
        // A clock that was set back during the call does not show how long the call took.
        let most = max(least, serverTime.timeIntervalSince(sentAt).rounded())
        serverClockOffset = min(max(serverClockOffset ?? 0, least), most)
    }

    /// The server has lost this device: everything except the queue is sent again (ID-6).
    public mutating func forgotten(now: Date) {
        properties.forgotten()
        pushToken.forgotten()
        registration.forgotten(now: now)
        badge.forgotten()
    }

    /// The person leaves the device, and with them the badge and what was rejected of their record (ID-4). Call it
    /// before the next contact is linked.
    public mutating func personLeft() {
        badge.personLeft(isTakenBack: link.linked?.target.isKnown == true)
        registration.personLeft()
    }

    /// Ends the waits for a network; every `Retry-After` stays.
    public mutating func networkReturned() {
        properties.networkReturned()
        link.networkReturned()
        pushToken.networkReturned()
        registration.networkReturned()
        uploads.networkReturned()
        centers.networkReturned()
        messageStates.networkReturned()
        richContent.networkReturned()
        badge.networkReturned()
        inApp.networkReturned()
    }

    /// The app was opened: long waits are shortened. A registration's wait is not, because its schedule never changes
    /// (REG-6).
    public mutating func appOpened() {
        properties.appOpened()
        link.appOpened()
        pushToken.appOpened()
        uploads.appOpened()
        centers.appOpened()
        messageStates.appOpened()
        richContent.appOpened()
        badge.appOpened()
        inApp.appOpened()
    }

    /// Call before every decision: a clock that was set back must not freeze any schedule.
    public mutating func rebase(to now: Date) {
        properties.rebase(to: now)
        link.rebase(to: now)
        pushToken.rebase(to: now)
        registration.rebase(to: now)
        uploads.rebase(to: now)
        centers.rebase(to: now)
        messageStates.rebase(to: now)
        richContent.rebase(to: now)
        badge.rebase(to: now)
        inApp.rebase(to: now)
    }
}
