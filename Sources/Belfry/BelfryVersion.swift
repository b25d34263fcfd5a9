/// The version of this SDK, as it is sent to the server.
public enum BelfryVersion {
    /// `major.minor.patch`
    public static let sdk = "0.1.0"
}
