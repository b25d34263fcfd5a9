import BelfryTestSupport
import Crypto
import Foundation

/// A browser whose messages are opened by `http_ece`, a library of other people's in another language.
struct WitnessBrowser: Encodable {
    private let privateKey: String
    private let auth: String
    private var body = ""
    let token: String

    private enum CodingKeys: CodingKey { case privateKey, auth, body }

    /// A browser with fresh keys.
    init(using random: inout some RandomNumberGenerator) throws {
        func bytes(_ count: Int) -> [UInt8] {
            (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        }
        let key = try P256.KeyAgreement.PrivateKey(rawRepresentation: bytes(32))
        let secret = Data(bytes(16))
        privateKey = key.rawRepresentation.base64EncodedString()
        auth = secret.base64EncodedString()
        token =
            #"{"endpoint":"https://push.example.com/send/1","keys":{"auth":"\#(base64URL(secret))","#
            + #""p256dh":"\#(base64URL(key.publicKey.x963Representation))"}}"#
    }

    /// With a push that it is to open.
    func receiving(_ body: [UInt8]) -> WitnessBrowser {
        var browser = self
        browser.body = Data(body).base64EncodedString()
        return browser
    }

    /// With its push changed by one bit, beyond the size of a record, which does not bear on what is read.
    func spoilt(using random: inout some RandomNumberGenerator) throws -> WitnessBrowser {
        guard let data = Data(base64Encoded: body) else { throw WitnessSaysNothing(why: "there is no push") }
        var bytes = [UInt8](data)
        bytes[Int.random(in: 86..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        return receiving(bytes)
    }

    /// The content that each of them decrypts from its push, in order; nil if the library rejects it.
    static func open(_ browsers: [WitnessBrowser]) async throws -> [Data?] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "belfry-witness-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let input = folder.appending(path: "pushes.json")
        try JSONEncoder().encode(browsers).write(to: input)
        let output = folder.appending(path: "messages.json")
        let run = try ProgramRun.start(
            ["python3", "-c", script, input.path, output.path], program: URL(filePath: "/usr/bin/env"),
            environment: ["PYTHONPATH": try ForeignProgram.libraries().path], folder: folder
        )
        guard await run.exit == .code(0) else { throw WitnessSaysNothing(why: run.standardError) }
        return try JSONDecoder().decode([Data?].self, from: Data(contentsOf: output))
    }

    private static let script = """
        import base64, json, sys
        import http_ece
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.asymmetric import ec
        messages = []
        for push in json.load(open(sys.argv[1])):
            number = int.from_bytes(base64.b64decode(push["privateKey"]), "big")
            try:
                message = http_ece.decrypt(
                    base64.b64decode(push["body"]), private_key=ec.derive_private_key(number, ec.SECP256R1()),
                    auth_secret=base64.b64decode(push["auth"]), version="aes128gcm")
                messages.append(base64.b64encode(message).decode())
            except (http_ece.ECEException, InvalidTag):
                messages.append(None)
        json.dump(messages, open(sys.argv[2], "w"))
        """
}

struct WitnessSaysNothing: Error, CustomStringConvertible {
    let why: String

    var description: String { "The Web Push messages were not opened by the independent library: \(why)" }
}
