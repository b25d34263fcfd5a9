import Foundation
import Testing

@testable import BelfryInAppRenderer

struct ScriptDigestTests {
    @Test(
        "IAM-12: scripts are identified by their SHA-256 (FIPS 180-4's examples, and lengths around a block's end)",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (String(repeating: "a", count: 55), "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
            (String(repeating: "a", count: 64), "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
            (String(repeating: "a", count: 119), "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"),
        ]
    )
    func examples(text: String, digest: String) {
        let bytes = ScriptDigest.bytes(Array(text.utf8))
        #expect(bytes.map { String(format: "%02x", $0) }.joined() == digest)
        #expect(ScriptDigest.base64(text) == Data(bytes).base64EncodedString())
    }

    @Test("IAM-12: a page's policy has the digests of its scripts")
    func policy() {
        for script in [PageScript.text, FrameScript.text] {
            // A carriage return would be another character in the browser than here.
            #expect(!script.contains("\r") && !script.contains("</"))
            #expect(PagePolicy.page(allowsScripts: false).contains("'sha256-\(ScriptDigest.base64(script))'"))
        }
        #expect(!PagePolicy.frame(allowsScripts: false).contains(ScriptDigest.base64(PageScript.text)))
    }
}
