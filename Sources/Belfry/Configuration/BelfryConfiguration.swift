import BelfryModel
import BelfryRules
import Foundation

/// The configuration of a client: its app and server, where it stores, and its limits.
///
/// ```swift
/// var configuration = try BelfryConfiguration(appCode: "shop", serverURL: url, directory: directory)
/// configuration.sessionTimeout = 60
/// ```
///
/// It can come from a JSON file instead: ``init(json:named:directory:)``.
///
/// Values out of range are refused when a client is created with it.
public struct BelfryConfiguration: Hashable, Sendable {
    /// The app's code on the server.
    public let appCode: AppCode
    /// The server's origin, optionally with a path in front of the API.
    public let serverURL: URL
    /// A directory for this client alone. Two clients on one directory are an error, not a crash.
    public let directory: URL
    /// The field to which contact keys belong when a call names none: `"email"`, or a number as its digits; trimmed, 1
    /// to 255 characters. Nil is the standard field. If the app's server setting `contactFields` lists fields, it must
    /// be one of them.
    public var contactField: String?
    /// Seconds in the background after which a session is over (EVT-6); 1 to 86,400.
    public var sessionTimeout: TimeInterval = 30
    /// When events are uploaded, and in what batches (EVT-2).
    public var uploads = UploadPolicy()
    /// How much the queue of events may hold; beyond it the oldest are dropped (EVT-5).
    public var queueLimits = QueueLimits()
    /// Seconds for which edits of the contact record are collected before they are sent; 0 to 60 (REG-4).
    public var editCollection: TimeInterval = 10
    /// Seconds from one fetch of the message centers to the next while the app is shown (MC-4); 10 to 86,400.
    public var messageCenterInterval: TimeInterval = 300
    /// Seconds for which a message stays on the device after the last fetch that contained it; the message's own expiry
    /// wins when it is earlier (MC-7); 3,600 to a year.
    public var messageCenterRetention: TimeInterval = 15 * 86_400
    /// Whether the SDK sets the number on the app's icon (BADGE-1). If false, it neither shows nor changes the badge.
    public var badgesEnabled = true
    /// How in-app messages are shown (IAM-6, IAM-12).
    public var inApp = InAppOptions()
    /// The container of the app group that the app shares with its notification service extension (PUSH-8); nil without
    /// an extension. On Apple's systems it is `FileManager.containerURL(forSecurityApplicationGroupIdentifier:)`. It is
    /// not where the client stores: ``directory`` stays in the app's own container.
    public var appGroupDirectory: URL?
    /// Uploads nothing before a contact key is set; events are stored meanwhile (REG-12).
    public var delayRegistrationUntilContactKeyIsSet = false

    /// - Parameters:
    ///   - appCode: 1 to 64 letters, digits, `-`, `_` or `.`.
    ///   - serverURL: `http` or `https` with a host, without user and password: they would not be sent.
    ///   - directory: a file URL; created when it does not exist.
    /// - Throws: ``BelfryError/Code/invalidConfiguration`` with the invalid field.
    public init(appCode: String, serverURL: URL, directory: URL) throws(BelfryError) {
        do throws(ValueError) {
            self.appCode = try AppCode(appCode)
        } catch {
            throw BelfryError(.invalidConfiguration, error.message, field: "appCode")
        }
        guard let scheme = serverURL.scheme?.lowercased(), ["http", "https"].contains(scheme),
            serverURL.host?.isEmpty == false, serverURL.query == nil, serverURL.fragment == nil,
            serverURL.user == nil, serverURL.password == nil
        else {
            throw BelfryError(
                .invalidConfiguration,
                "The server must be an http or https URL with a host, without user, password and query.",
                field: "serverURL"
            )
        }
        guard directory.isFileURL else {
            throw BelfryError(.invalidConfiguration, "The directory must be a file URL.", field: "directory")
        }
        self.serverURL = serverURL
        self.directory = directory
    }
}

extension BelfryConfiguration {
    /// Throws for values that cannot work, with the field.
    func validate() throws(BelfryError) {
        typealias Limits = ConfigurationLimits
        _ = try standardContactField()
        guard appGroupDirectory?.isFileURL != false else {
            throw BelfryError(
                .invalidConfiguration, "The directory of the app group must be a file URL.", field: "appGroupDirectory")
        }
        try Limits.check(sessionTimeout, in: Limits.sessionTimeout, field: "sessionTimeout")
        try Limits.check(editCollection, in: Limits.editCollection, field: "editCollection")
        try Limits.check(uploads.flushAge, in: Limits.flushAge, field: "uploads.flushAge")
        try Limits.check(uploads.flushCount, in: Limits.flushCount, field: "uploads.flushCount")
        try Limits.check(uploads.flushBytes, in: Limits.flushBytes, field: "uploads.flushBytes")
        try Limits.check(uploads.batchCount, in: Limits.batchCount, field: "uploads.batchCount")
        try Limits.check(uploads.batchBytes, in: Limits.batchBytes, field: "uploads.batchBytes")
        let backoff = uploads.backoff
        try Limits.check(backoff.first, in: Limits.backoffFirst, field: "uploads.backoff.first")
        try Limits.check(backoff.maximum, in: Limits.backoffMaximum, field: "uploads.backoff.maximum")
        try Limits.check(backoff.jitter, in: Limits.backoffJitter, field: "uploads.backoff.jitter")
        try Limits.check(queueLimits.count, in: Limits.queueCount, field: "queueLimits.count")
        try Limits.check(queueLimits.bytes, in: Limits.queueBytes, field: "queueLimits.bytes")
        try Limits.check(queueLimits.age, in: Limits.queueAge, field: "queueLimits.age")
        try Limits.check(messageCenterInterval, in: Limits.centerInterval, field: "messageCenterInterval")
        try Limits.check(messageCenterRetention, in: Limits.centerRetention, field: "messageCenterRetention")
        try inApp.validate()
    }

    /// The contact field for calls that name none; nil is the standard one.
    func standardContactField() throws(BelfryError) -> String? {
        guard let contactField else { return nil }
        do throws(ValueError) {
            return try ContactField(contactField).name
        } catch {
            throw BelfryError(.invalidConfiguration, error.message, field: "contactField")
        }
    }

    var syncPolicy: SyncPolicy {
        SyncPolicy(
            registration: RegistrationSchedule.Policy(collecting: editCollection),
            uploads: uploads,
            centers: MessageCenterPolicy(interval: messageCenterInterval, retention: messageCenterRetention),
            inApp: inApp.policy,
            waitsForContactKey: delayRegistrationUntilContactKeyIsSet
        )
    }

    var sessionPolicy: SessionPolicy {
        SessionPolicy(timeout: sessionTimeout)
    }

    /// The path of a call: the path of the server's address, then the API's.
    func path(_ call: String) -> String {
        // Percent-encoded as it was written, so that an escaped character stays escaped.
        let path = serverURL.path(percentEncoded: true)
        let prefix = path.utf8.last == UInt8(ascii: "/") ? String(path.dropLast()) : path
        return "\(prefix)/v3/apps/\(appCode.rawValue)\(call)"
    }
}
