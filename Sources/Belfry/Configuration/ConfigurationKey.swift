// The keys of a configuration file. Each field of a configuration that can be set has one (REG-13).

/// The keys of a configuration.
enum ConfigurationKey: String, CaseIterable {
    case name
    case appCode
    case serverURL
    case contactField
    case sessionTimeout
    case editCollection
    case uploads
    case queueLimits
    case messageCenter
    case badges
    case inApp
    case delayRegistrationUntilContactKeyIsSet
}

/// The keys of `uploads`.
enum UploadKey: String, CaseIterable {
    case flushCount
    case flushBytes
    case flushAge
    case batchCount
    case batchBytes
    case backoff
}

/// The keys of `uploads.backoff`.
enum BackoffKey: String, CaseIterable {
    case first
    case maximum
    case jitter
}

/// The keys of `messageCenter`.
enum MessageCenterKey: String, CaseIterable {
    case interval
    case retention
}

/// The keys of `inApp`.
enum InAppKey: String, CaseIterable {
    case minimumGap
    case maximumPerSession
    case maximumPerDay
    case linkSchemes
    case allowsScripts
}

/// The keys of `queueLimits`.
enum QueueKey: String, CaseIterable {
    case count
    case bytes
    case age
}
