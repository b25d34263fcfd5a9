import BelfryServerTestSupport
import Foundation
import Testing

@testable import BelfryAPI

@Suite("The server's certificate")
struct CertificateWatchTests {
    private static let reloaded = "certificate reloaded"
    private static let useless = "the new certificate cannot be used; the server keeps the old one"

    @Test("SEC-1: an unusable pair is refused with the file")
    func rejected() async throws {
        let (good, other) = (try TestCertificate.good(), try TestCertificate.good())
        let pairs: [(certificate: String?, key: String?, words: [String])] = [
            (nil, good.keyPEM, ["server.crt", "cannot be read"]), (good.pem, nil, ["server.key", "cannot be read"]),
            ("", good.keyPEM, ["server.crt", "no PEM certificate"]),
            (good.keyPEM, good.keyPEM, ["server.crt", "no PEM certificate"]),
            (good.pem, "", ["server.key", "no PEM private key"]),
            (good.pem, good.pem, ["server.key", "no PEM private key"]),
            (good.pem, other.keyPEM, ["server.crt", "server.key", "does not match the certificate"]),
        ]
        for pair in pairs {
            try await SecureStage.run { stage in
                try stage.put(certificate: pair.certificate, key: pair.key)
                let error = #expect(throws: ServerCertificateError.self) { _ = try stage.watch() }
                for word in pair.words { #expect(error?.description.contains(word) == true, "\(error as Any)") }
            }
        }
    }

    @Test("SEC-1: an unusable new pair leaves the old one in place, is reported once, and can be fixed later")
    func brokenReload() async throws {
        try await SecureStage.run { stage in
            let (first, second) = (try TestCertificate.good(), try TestCertificate.good())
            try stage.put(first)
            let watch = try stage.watch()
            let context = watch.context
            watch.look()
            #expect(stage.logged.isEmpty)
            // The certificate comes before its key.
            try stage.put(certificate: second.pem)
            for _ in 0..<3 { watch.look() }
            #expect(stage.logged == [Self.useless] && watch.context === context)
            #expect(stage.log.entries.contains { "\($0.metadata)".contains("server.key") })
            #expect(!stage.log.entries.contains { "\($0.metadata)".contains("PRIVATE") })
            try stage.put(key: second.keyPEM)
            for _ in 0..<3 { watch.look() }
            #expect(stage.logged == [Self.useless, Self.reloaded] && watch.context !== context)
            try FileManager.default.removeItem(atPath: stage.files.certificate)
            for _ in 0..<3 { watch.look() }
            #expect(stage.logged == [Self.useless, Self.reloaded, Self.useless])
        }
    }

    @Test("SEC-1: a pair that was written into the same files is noticed too")
    func sameFile() async throws {
        try await SecureStage.run { stage in
            let (first, second) = (try TestCertificate.good(), try TestCertificate.good())
            try stage.put(first)
            let watch = try stage.watch()
            for (text, path) in [(second.pem, stage.files.certificate), (second.keyPEM, stage.files.key)] {
                try Data(text.utf8).write(to: URL(filePath: path))
                // Two writes may fall into one tick of the file system's clock.
                try FileManager.default.setAttributes(
                    [.modificationDate: stage.clock.now.addingTimeInterval(60)], ofItemAtPath: path
                )
            }
            watch.look()
            #expect(stage.logged == [Self.reloaded])
        }
    }

    @Test("SEC-1: a certificate near its end, expired or not yet valid is served, and reported once")
    func validity() async throws {
        try await SecureStage.run { stage in
            let start = stage.clock.now
            try stage.put(
                try TestCertificate(
                    notBefore: start.addingTimeInterval(3_600), notAfter: start.addingTimeInterval(30 * 86_400 - 60)
                )
            )
            let watch = try stage.watch()
            var expected = ["the certificate is not valid yet: clients will reject it"]
            #expect(stage.logged == expected)
            for day in 1...40 {
                stage.clock.advance(by: 86_400)
                watch.look()
                if day == 23 { expected.append("the certificate expires within seven days") }
                if day == 30 { expected.append("the certificate has expired: clients will reject it") }
                #expect(stage.logged == expected, "day \(day)")
            }
        }
    }
}
