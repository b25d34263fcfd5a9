// The keys of a configuration file. Each field of a configuration that can be set has one (REG-13).

/// Of a configuration.
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

/// Of `uploads`.
enum UploadKey: String, CaseIterable {
    case flushCount
    case flushBytes
    case flushAge
    case batchCount
    case batchBytes
    case backoff
}

/// Of `uploads.backoff`.
enum BackoffKey: String, CaseIterable {
    case first
    case maximum
    case jitter
}

/// Of `messageCenter`.
enum MessageCenterKey: String, CaseIterable {
    case interval
    case retention
}

/// Of `inApp`.
enum InAppKey: String, CaseIterable {
    case minimumGap
    case maximumPerSession
    case maximumPerDay
    case linkSchemes
    case allowsScripts
}

/// Of `queueLimits`.
enum QueueKey: String, CaseIterable {
    case count
    case bytes
    case age
}
