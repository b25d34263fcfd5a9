/// For how many devices a campaign is tried before its launch (CAMP-4, CAMP-7).
enum PreviewLimits {
    /// Of the audience, where a preview names neither devices nor their number.
    static let standardDevices = 5
    static let maximumDevices = 20
    static let maximumTestDevices = 20
}
