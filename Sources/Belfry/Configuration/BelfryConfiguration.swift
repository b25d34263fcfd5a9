import BelfryModel
import BelfryRules
import BelfryWire
import Foundation

/// How a client works: which app and server it belongs to, where it stores, and its limits.
///
/// ```swift
/// var configuration = try BelfryConfiguration(appCode: "shop", serverURL: url, directory: directory)
/// configuration.sessionTimeout = 60
/// ```
///
/// Whatever is out of bounds is refused when a client is made from it.
public struct BelfryConfiguration: Hashable, Sendable {
    /// The app's code on the server.
    public let appCode: AppCode
    /// The server's origin, perhaps with a path in front of the API.
    public let serverURL: URL
    /// A directory for this client alone. Two clients on one directory are an error, not a crash.
    public let directory: URL
    /// Seconds in the background after which a session is over (EVT-6); 1 to 86,400.
    public var sessionTimeout: TimeInterval = 30
    /// When events leave, and in what portions (EVT-2).
    public var uploads = UploadPolicy()
    /// How much the queue of events holds; beyond it the oldest go (EVT-5).
    public var queueLimits = QueueLimits()
    /// Seconds for which edits of the contact record are collected before they are sent; 0 to 60 (REG-4).
    public var editCollection: TimeInterval = 10
    /// Uploads nothing before a contact key is set; events are kept (REG-12).
    public var delayRegistrationUntilContactKeyIsSet = false

    /// - Parameters:
    ///   - appCode: 1 to 64 letters, digits, `-`, `_` or `.`.
    ///   - serverURL: `http` or `https` with a host.
    ///   - directory: a file URL; made when it does not exist.
    /// - Throws: ``BelfryError/Code/invalidConfiguration`` with the field at fault.
    public init(appCode: String, serverURL: URL, directory: URL) throws(BelfryError) {
        do throws(Refusal) {
            self.appCode = try AppCode(appCode)
        } catch {
            throw BelfryError(.invalidConfiguration, error.message, field: "appCode")
        }
        guard let scheme = serverURL.scheme?.lowercased(), ["http", "https"].contains(scheme),
            serverURL.host?.isEmpty == false, serverURL.query == nil, serverURL.fragment == nil
        else {
            throw BelfryError(
                .invalidConfiguration,
                "The server is an http or https address with a host and no query.",
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
        try Self.check(sessionTimeout, in: 1...86_400, field: "sessionTimeout")
        try Self.check(editCollection, in: 0...60, field: "editCollection")
        try Self.check(uploads.flushAge, in: 0...86_400, field: "uploads.flushAge")
        try Self.check(uploads.flushCount, in: 1...1_000_000, field: "uploads.flushCount")
        try Self.check(uploads.flushBytes, in: 1...1_000_000_000, field: "uploads.flushBytes")
        try Self.check(uploads.batchCount, in: 1...10_000, field: "uploads.batchCount")
        // One event always fits a batch, and a batch always fits the server's limit.
        let smallest = EventLimits.maximumBytes + EventBatch.envelopeBytes
        try Self.check(uploads.batchBytes, in: smallest...WireLimits.maximumBodyBytes, field: "uploads.batchBytes")
        try Self.check(queueLimits.count, in: 1...10_000_000, field: "queueLimits.count")
        try Self.check(queueLimits.bytes, in: EventLimits.maximumBytes...1_000_000_000, field: "queueLimits.bytes")
        try Self.check(queueLimits.age, in: 60...(366 * 86_400), field: "queueLimits.age")
    }

    private static func check<Number: Comparable & Sendable>(
        _ value: Number,
        in range: ClosedRange<Number>,
        field: String
    ) throws(BelfryError) {
        guard !range.contains(value) else { return }
        throw BelfryError(
            .invalidConfiguration,
            "\(value) is not allowed; \(range.lowerBound) to \(range.upperBound) is.",
            field: field
        )
    }

    var syncPolicy: SyncPolicy {
        SyncPolicy(
            registration: RegistrationSchedule.Policy(collecting: editCollection),
            uploads: uploads,
            waitsForContactKey: delayRegistrationUntilContactKeyIsSet
        )
    }

    var sessionPolicy: SessionPolicy {
        SessionPolicy(timeout: sessionTimeout)
    }

    /// The path of a call, from the origin on: the address's own path stands in front.
    func path(_ call: String) -> String {
        let prefix = serverURL.path.hasSuffix("/") ? String(serverURL.path.dropLast()) : serverURL.path
        return "\(prefix)/v3/apps/\(appCode.rawValue)\(call)"
    }
}
