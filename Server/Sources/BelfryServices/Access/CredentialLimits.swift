import BelfryPush

/// Lengths in the credentials of the push services, for whoever describes them and sends nothing.
package enum CredentialLimits {
    package static let apnsIDs = APNsCredentials.idLength...APNsCredentials.idLength
    package static let apnsTopics = 1...APNsCredentials.maximumTopicLength
    package static let endpoints = 0...PushEndpoint.maximumLength
}
