import BelfryPush

/// Limits of lengths in the credentials of the push services, for code that describes them and sends nothing.
package enum CredentialLimits {
    package static let apnsIDs = APNsCredentials.idLength...APNsCredentials.idLength
    package static let apnsTopics = 1...APNsCredentials.maximumTopicLength
    package static let endpoints = 0...PushEndpoint.maximumLength
}
