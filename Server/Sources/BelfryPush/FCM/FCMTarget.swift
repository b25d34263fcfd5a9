/// The member by which a message of FCM names the app instance that gets it.
///
/// Source: Google, "REST Resource: projects.messages" (`fid`, `token`); "Manage Firebase installations".
enum FCMTarget: Sendable {
    /// A registration token, `ID:APA91b…`. It contains at least a colon, unlike an installation id.
    case token
    /// A Firebase installation id: 17 bytes in base64url, cut to 22 characters, which begin with the bits 0111.
    case installation

    private static let installationLength = 22

    /// The kind of a device's push token, by its form.
    init(_ token: String) {
        let bytes = token.utf8
        let isInstallation =
            bytes.count == Self.installationLength
            && bytes.first.map { (UInt8(ascii: "c")...UInt8(ascii: "f")).contains($0) } == true
            && bytes.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
        self = isInstallation ? .installation : .token
    }
}
