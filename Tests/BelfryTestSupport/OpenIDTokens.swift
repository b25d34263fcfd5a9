/// A token as an identity provider gives it, with a signature that nobody here checks.
///
/// - Parameter serial: tokens of one person differ by it.
public func openIDToken(for subject: String, serial: Int = 0, issuer: String = "https://id.example.com") -> String {
    let claims = #"{"iss":"\#(issuer)","sub":"\#(subject)","iat":\#(serial)}"#
    return openIDToken(claims: claims)
}

/// A token with these claims, be they claims or not.
public func openIDToken(claims: String) -> String {
    [#"{"alg":"RS256"}"#, claims, "signature of \(claims)"]
        .map { base64URL($0.utf8) }
        .joined(separator: ".")
}
