import Belfry
import BelfryModel
import Foundation

/// How a notification service extension treats pushes (PUSH-8).
public struct NotificationServiceSettings: Sendable {
    /// The app's code on the server, as in its ``Belfry/BelfryConfiguration``.
    public var appCode: String
    /// The container of the app group that the app and the extension share, the same as
    /// `BelfryConfiguration.appGroupDirectory`. Without one the extension shows images and knows nothing of the app.
    public var appGroupDirectory: URL?
    /// Whether Apple has granted the entitlement `com.apple.developer.usernotifications.filtering` to the extension.
    /// Only then can it hide a push; otherwise it shows ``neutralText`` instead.
    public var hidesPushesOfFormerPersons = false
    /// Replaces a push for a person who used the device before. It names nobody.
    public var neutralText = "You have a new notification."
    /// Seconds for an image; 1 to 25, because the system ends an extension after about 30.
    public var imageTimeout: TimeInterval = 15 {
        didSet { imageTimeout = min(max(imageTimeout, 1), 25) }
    }
    /// Bytes of an image; 1 to 10,485,760, the system's own limit. An extension has little memory.
    public var maximumImageBytes = 5_242_880 {
        didSet { maximumImageBytes = min(max(maximumImageBytes, 1), PushImage.systemMaximumBytes) }
    }
    /// Seconds for the report to the server that the push was received; 0 to 10. What is not reported in this time is
    /// reported by the app when it is opened.
    public var reportTimeout: TimeInterval = 4 {
        didSet { reportTimeout = min(max(reportTimeout, 0), 10) }
    }

    /// - Parameters:
    ///   - appCode: the app's code on the server.
    ///   - appGroupDirectory: the container of the app group.
    public init(appCode: String, appGroupDirectory: URL?) {
        self.appCode = appCode
        self.appGroupDirectory = appGroupDirectory
    }
}
