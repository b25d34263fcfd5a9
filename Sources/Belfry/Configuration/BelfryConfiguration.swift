import BelfryModel
import BelfryRules
import Foundation

/// How a client works: which app and server it belongs to, where it stores, and its limits.
///
/// ```swift
/// var configuration = try BelfryConfiguration(appCode: "shop", serverURL: url, directory: directory)
/// configuration.sessionTimeout = 60
/// ```
///
/// It can come from a JSON file instead: ``init(json:named:directory:)``.
///
/// Whatever is out of bounds is refused when a client is made from it.
public struct BelfryConfiguration: Hashable, Sendable {
    /// The app's code on the server.
    public let appCode: AppCode
    /// The server's origin, perhaps with a path in front of the API.
    public let serverURL: URL
    /// A directory for this client alone. Two clients on one directory are an error, not a crash.
    public let directory: URL
    /// The field that contact keys are values of, where a call names none: `"email"`, or a number as its digits; trimmed,
    /// 1 to 255 characters. Nil is the standard one. An app whose server setting `contactFields` lists some needs one of
    /// them.
    public var contactField: String?
    /// Seconds in the background after which a session is over (EVT-6); 1 to 86,400.
    public var sessionTimeout: TimeInterval = 30
    /// When events leave, and in what portions (EVT-2).
    public var uploads = UploadPolicy()
    /// How much the queue of events holds; beyond it the oldest go (EVT-5).
    public var queueLimits = QueueLimits()
    /// Seconds for which edits of the contact record are collected before they are sent; 0 to 60 (REG-4).
    public var editCollection: TimeInterval = 10
    /// Seconds from one fetch of the message centres to the next while the app is shown (MC-4); 10 to 86,400.
    public var messageCenterInterval: TimeInterval = 300
    /// Seconds for which a message stays on the device after the last fetch that had it; its own expiry wins when it is
    /// earlier (MC-7); 3,600 to a year.
    public var messageCenterRetention: TimeInterval = 15 * 86_400
    /// The SDK keeps the number on the app's icon (BADGE-1). Off, it takes none from the server and sets none.
    public var badgesEnabled = true
    /// How in-app messages are shown (IAM-6, IAM-12).
    public var inApp = InAppOptions()
    /// Uploads nothing before a contact key is set; events are kept (REG-12).
    public var delayRegistrationUntilContactKeyIsSet = false

    /// - Parameters:
    ///   - appCode: 1 to 64 letters, digits, `-`, `_` or `.`.
    ///   - serverURL: `http` or `https` with a host, without user and password: they would not be sent.
    ///   - directory: a file URL; made when it does not exist.
    /// - Throws: ``BelfryError/Code/invalidConfiguration`` with the field at fault.
    public init(appCode: String, serverURL: URL, directory: URL) throws(BelfryError) {
        do throws(Refusal) {
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
                "The server is an http or https address with a host, and without user, password and query.",
                field: "serverURL"
            )
        }
        guard directory.isFileURL else {
            throw BelfryError(.invalidConfiguration, "The directory is a file URL.", field: "directory")
        }
        self.serverURL = serverURL
        self.directory = directory
    }
}

extension BelfryConfiguration {
    /// Refuses what cannot work, naming the field.
    func validate() throws(BelfryError) {
        typealias Limits = ConfigurationLimits
        _ = try standardContactField()
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

    /// The field of contact keys for which none is named; nil is the standard one.
    func standardContactField() throws(BelfryError) -> String? {
        guard let contactField else { return nil }
        do throws(Refusal) {
            return try ContactField(contactField).name
        } catch {
            throw BelfryError(.invalidConfiguration, error.message, field: "contactField")
        }
    }

    var syncPolicy: SyncPolicy {
        SyncPolicy(
            registration: RegistrationSchedule.Policy(collecting: editCollection),
            uploads: uploads,
            centers: CenterPolicy(interval: messageCenterInterval, retention: messageCenterRetention),
            inApp: inApp.policy,
            waitsForContactKey: delayRegistrationUntilContactKeyIsSet
        )
    }

    var sessionPolicy: SessionPolicy {
        SessionPolicy(timeout: sessionTimeout)
    }

    /// The path of a call, from the origin on: the address's own path stands in front.
    func path(_ call: String) -> String {
        // As it was written: an escaped character is to arrive escaped.
        let path = serverURL.path(percentEncoded: true)
        let prefix = path.hasSuffix("/") ? String(path.dropLast()) : path
        return "\(prefix)/v3/apps/\(appCode.rawValue)\(call)"
    }
}
