import BelfryModel
import Foundation

extension BelfryConfiguration {
    /// Reads a configuration from JSON: one object, or an array of named ones from which the app picks one.
    ///
    /// ```json
    /// [{"name": "development", "appCode": "shop-test", "serverURL": "http://localhost:8080"},
    ///  {"name": "production", "appCode": "shop", "serverURL": "https://push.example.com", "contactField": "email",
    ///   "sessionTimeout": 60, "uploads": {"flushCount": 20}, "queueLimits": {"age": 604800},
    ///   "messageCenter": {"interval": 600, "retention": 604800}, "badges": true,
    ///   "inApp": {"minimumGap": 60, "maximumPerDay": 5, "linkSchemes": ["https", "shop"]},
    ///   "delayRegistrationUntilContactKeyIsSet": true}]
    /// ```
    ///
    /// The keys are the names of this type's properties, case-insensitive; `uploads`, `uploads.backoff`, `queueLimits`,
    /// `messageCenter` and `inApp` are objects, and `badges` is ``badgesEnabled``. Absent keys have their defaults. In
    /// an array every configuration is checked, not only the picked one.
    ///
    /// - Parameters:
    ///   - json: UTF-8.
    ///   - name: which one of an array, case-sensitive; not needed when there is only one.
    ///   - directory: as for ``init(appCode:serverURL:directory:)``; it depends on the device and cannot be in the
    ///     file.
    /// - Throws: ``BelfryError/Code/invalidConfiguration`` with the path of the invalid key and what is allowed. An
    ///   unknown key is an error that names the nearest valid one.
    public init(json: Data, named name: String? = nil, directory: URL) throws(BelfryError) {
        self = try ConfigurationFile(json, directory: directory).configuration(named: name)
    }

    /// Reads a configuration from a JSON file, for example in the app's bundle.
    ///
    /// - Parameters:
    ///   - jsonFile: a file URL.
    ///   - name: as for ``init(json:named:directory:)``.
    ///   - directory: where the client stores.
    /// - Throws: the errors of ``init(json:named:directory:)``; also when the file cannot be read.
    public init(jsonFile: URL, named name: String? = nil, directory: URL) throws(BelfryError) {
        let json: Data
        do {
            json = try Data(contentsOf: jsonFile)
        } catch {
            throw BelfryError(
                .invalidConfiguration,
                "The file '\(jsonFile.lastPathComponent)' cannot be read: \(error)",
                field: "jsonFile"
            )
        }
        try self.init(json: json, named: name, directory: directory)
    }
}

extension BelfryConfiguration {
    /// Reads every field from the file; each has its key in ``ConfigurationKey`` and the nested key types.
    init(reading object: ConfigurationObject<ConfigurationKey>, directory: URL) throws(BelfryError) {
        let appCode = try object.required(.appCode)
        guard let serverURL = URLText.url(try object.required(.serverURL)) else {
            throw object.invalid(
                .serverURL, "The server must be an http or https URL with a host, without user, password and query.")
        }
        do throws(BelfryError) {
            try self.init(appCode: appCode, serverURL: serverURL, directory: directory)
        } catch {
            throw object.located(error)
        }
        contactField = try object.text(.contactField)
        do throws(BelfryError) {
            _ = try standardContactField()
        } catch {
            throw object.located(error)
        }
        typealias Limits = ConfigurationLimits
        try object.read(.sessionTimeout, into: &sessionTimeout, in: Limits.sessionTimeout)
        try object.read(.editCollection, into: &editCollection, in: Limits.editCollection)
        try object.read(
            .delayRegistrationUntilContactKeyIsSet, into: &delayRegistrationUntilContactKeyIsSet
        )
        if let uploads = try object.object(.uploads, of: UploadKey.self) { try read(uploads) }
        try object.read(.badges, into: &badgesEnabled)
        if let center = try object.object(.messageCenter, of: MessageCenterKey.self) { try read(center) }
        if let options = try object.object(.inApp, of: InAppKey.self) { try inApp.read(options) }
        if let limits = try object.object(.queueLimits, of: QueueKey.self) { try read(limits) }
    }

    private mutating func read(_ object: ConfigurationObject<UploadKey>) throws(BelfryError) {
        typealias Limits = ConfigurationLimits
        try object.read(.flushCount, into: &uploads.flushCount, in: Limits.flushCount)
        try object.read(.flushBytes, into: &uploads.flushBytes, in: Limits.flushBytes)
        try object.read(.flushAge, into: &uploads.flushAge, in: Limits.flushAge)
        try object.read(.batchCount, into: &uploads.batchCount, in: Limits.batchCount)
        try object.read(.batchBytes, into: &uploads.batchBytes, in: Limits.batchBytes)
        guard let backoff = try object.object(.backoff, of: BackoffKey.self) else { return }
        try backoff.read(.first, into: &uploads.backoff.first, in: Limits.backoffFirst)
        try backoff.read(.maximum, into: &uploads.backoff.maximum, in: Limits.backoffMaximum)
        try backoff.read(.jitter, into: &uploads.backoff.jitter, in: Limits.backoffJitter)
    }

    private mutating func read(_ object: ConfigurationObject<MessageCenterKey>) throws(BelfryError) {
        typealias Limits = ConfigurationLimits
        try object.read(.interval, into: &messageCenterInterval, in: Limits.centerInterval)
        try object.read(.retention, into: &messageCenterRetention, in: Limits.centerRetention)
    }

    private mutating func read(_ object: ConfigurationObject<QueueKey>) throws(BelfryError) {
        typealias Limits = ConfigurationLimits
        try object.read(.count, into: &queueLimits.count, in: Limits.queueCount)
        try object.read(.bytes, into: &queueLimits.bytes, in: Limits.queueBytes)
        try object.read(.age, into: &queueLimits.age, in: Limits.queueAge)
    }
}

extension InAppOptions {
    fileprivate mutating func read(_ object: ConfigurationObject<InAppKey>) throws(BelfryError) {
        typealias Limits = ConfigurationLimits
        try object.read(.minimumGap, into: &minimumGap, in: Limits.inAppGap)
        try object.read(.maximumPerSession, into: &maximumPerSession, in: Limits.inAppCap)
        try object.read(.maximumPerDay, into: &maximumPerDay, in: Limits.inAppCap)
        try object.read(.linkSchemes, into: &linkSchemes)
        try object.read(.allowsScripts, into: &allowsScripts)
        do throws(BelfryError) {
            try validate()
        } catch {
            throw object.invalid(.linkSchemes, error.message)
        }
    }
}
