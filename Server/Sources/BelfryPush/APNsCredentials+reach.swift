extension APNsCredentials {
    /// Whether a token that is good for these is good for the others: topic and endpoints are the same.
    package func reachesTheSameDevices(as other: APNsCredentials) -> Bool {
        topic == other.topic && productionEndpoint == other.productionEndpoint
            && sandboxEndpoint == other.sandboxEndpoint
    }
}
