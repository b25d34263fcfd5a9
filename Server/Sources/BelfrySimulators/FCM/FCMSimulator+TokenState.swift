extension FCMSimulator {
    /// What the push service thinks of a registration token that it issued.
    public enum TokenState: String, Sendable, Codable, CaseIterable {
        /// Messages of its project are accepted.
        case valid
        /// 404 `UNREGISTERED`.
        case unregistered
        /// 400 `INVALID_ARGUMENT`, with `message.token` as the field.
        case malformed
        /// 403 `SENDER_ID_MISMATCH`, whatever the project.
        case otherSender
        /// 401 `THIRD_PARTY_AUTH_ERROR`: the device is an iPhone or a browser, and the project has no good key for it.
        case thirdPartyAuthError
    }
}
