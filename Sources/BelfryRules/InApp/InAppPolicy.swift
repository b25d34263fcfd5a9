import BelfryModel
import Foundation

/// The parameters of showing in-app messages (IAM-3, IAM-6).
public struct InAppPolicy: Hashable, Sendable, Codable {
    /// Seconds from the end of one message to the next.
    public var minimumGap: TimeInterval
    /// The maximum number of messages in one session; nil: unlimited.
    public var maximumPerSession: Int?
    /// The maximum number of messages on one day of the device's calendar; nil: unlimited.
    public var maximumPerDay: Int?
    /// The maximum number of seconds for the app's decision and the loading of the page together.
    public var loadTimeout: TimeInterval
    /// Seconds after which a page that is being put on the screen and reports nothing counts as shown, and is removed.
    public var presentTimeout: TimeInterval
    /// Seconds after a session's start in which a message that arrives is still triggered by it, because the start
    /// itself fetches messages that no silent push announced.
    public var startLasts: TimeInterval
    /// Seconds from one fetch to the next when the app comes to the foreground again and again.
    public var syncInterval: TimeInterval
    public var backoff: Backoff.Policy

    public init(
        minimumGap: TimeInterval = 30,
        maximumPerSession: Int? = nil,
        maximumPerDay: Int? = nil,
        loadTimeout: TimeInterval = 60,
        presentTimeout: TimeInterval = 30,
        startLasts: TimeInterval = 60,
        syncInterval: TimeInterval = 60,
        backoff: Backoff.Policy = .call
    ) {
        self.minimumGap = minimumGap
        self.maximumPerSession = maximumPerSession
        self.maximumPerDay = maximumPerDay
        self.loadTimeout = loadTimeout
        self.presentTimeout = presentTimeout
        self.startLasts = startLasts
        self.syncInterval = syncInterval
        self.backoff = backoff
    }
}

/// The situation on the device for decisions about in-app messages.
public struct InAppSituation: Hashable, Sendable {
    /// Every message on the device, as it is stored now.
    public var candidates: [InAppCandidate]
    public var isForeground: Bool
    /// The app has paused display. The pause ends with the process.
    public var isPaused: Bool
    /// The platform can show messages.
    public var hasPresenter: Bool
    public var device: TriggerDevice
    /// The time zone for the cap of a day.
    public var zone: TimeZone
    /// Seconds by which the server's clock is ahead of the device's: start and end of a message are the server's times.
    public var clockOffset: TimeInterval

    public init(
        candidates: [InAppCandidate],
        isForeground: Bool,
        isPaused: Bool = false,
        hasPresenter: Bool = true,
        device: TriggerDevice = TriggerDevice(),
        zone: TimeZone = .gmt,
        clockOffset: TimeInterval = 0
    ) {
        self.candidates = candidates
        self.isForeground = isForeground
        self.isPaused = isPaused
        self.hasPresenter = hasPresenter
        self.device = device
        self.zone = zone
        self.clockOffset = clockOffset
    }

    /// The reason why no message at all is shown at the moment. Due messages wait until it ends.
    var hold: InAppReason? {
        if !isForeground { return .notForeground }
        return isPaused ? .paused : nil
    }

    func candidate(_ id: String) -> InAppCandidate? {
        candidates.first { $0.id == id }
    }
}
