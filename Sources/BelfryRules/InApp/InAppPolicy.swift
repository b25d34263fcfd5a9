import BelfryModel
import Foundation

/// The seconds and numbers that a device keeps to when it shows in-app messages (IAM-3, IAM-6).
public struct InAppPolicy: Hashable, Sendable, Codable {
    /// Seconds from the end of one message to the next.
    public var minimumGap: TimeInterval
    /// Messages in one session; nil for any number.
    public var maximumPerSession: Int?
    /// Messages on one day of the device's calendar; nil for any number.
    public var maximumPerDay: Int?
    /// Seconds that the app's answer and the loading of a page may take together.
    public var loadTimeout: TimeInterval
    /// Seconds until a page that is being put on the screen counts as shown, and is taken away, if nothing is heard of it.
    public var presentTimeout: TimeInterval
    /// Seconds after a session's start in which a message that comes is still triggered by it: the start itself fetches
    /// what no silent push told of.
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

/// What is the case on the device when it decides about in-app messages.
public struct InAppSituation: Hashable, Sendable {
    /// Every message that is on the device, as it is stored now.
    public var candidates: [InAppCandidate]
    public var isForeground: Bool
    /// The app wants nothing shown. It ends with the process.
    public var isPaused: Bool
    /// There is something that shows messages.
    public var hasPresenter: Bool
    public var device: TriggerDevice
    /// Whose days count.
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

    /// Why nothing at all is shown at the moment. What was due waits for the end of it.
    var hold: InAppReason? {
        if !isForeground { return .notForeground }
        return isPaused ? .paused : nil
    }

    func candidate(_ id: String) -> InAppCandidate? {
        candidates.first { $0.id == id }
    }
}
