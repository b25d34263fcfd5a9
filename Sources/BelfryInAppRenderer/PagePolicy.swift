/// The Content-Security-Policy of a page and of the frame in it.
///
/// A frame with inline source inherits the policy of the surrounding page, so that policy allows what both need.
enum PagePolicy {
    static func page(allowsScripts: Bool) -> String {
        let scripts = [PageScript.text, FrameScript.text].map(source).joined(separator: " ")
        return policy(scripts: allowsScripts ? anyInline : scripts) + "; frame-src about:"
    }

    static func frame(allowsScripts: Bool) -> String {
        policy(scripts: allowsScripts ? anyInline : source(FrameScript.text)) + "; frame-src 'none'"
    }

    /// A digest in the same directive would disable it.
    private static let anyInline = "'unsafe-inline'"

    private static func source(_ script: String) -> String { "'sha256-\(ScriptDigest.base64(script))'" }

    private static func policy(scripts: String) -> String {
        "default-src 'none'; img-src https: data:; font-src data:; style-src 'unsafe-inline'; script-src \(scripts); "
            + "base-uri 'none'; form-action 'none'"
    }
}
