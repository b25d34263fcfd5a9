/// What the HTML that a marketer composes may have, by where it is shown (SEC-4).
///
/// All HTML is held to the same rules by the same check; only script and `<meta http-equiv>` differ.
public enum HTMLPolicy: Hashable, Sendable {
    /// An in-app message. Its page holds the HTML in a sandboxed frame, where script may run if the app's setting
    /// `inAppScripts` allows it (IAM-12).
    case inApp(allowsScripts: Bool)
    /// The rich content of a message centre. An app shows it as it likes, so no script stands in it.
    case richContent

    var allowsScripts: Bool { self == .inApp(allowsScripts: true) }
}
