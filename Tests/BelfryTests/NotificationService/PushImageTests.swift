import Foundation
import Testing

@testable import Belfry
@testable import BelfryNotificationService

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The image of a push (PUSH-8).
@Suite(.timeLimit(.minutes(10)))
struct PushImageTests {
    private static let png = Data([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] + [UInt8](repeating: 1, count: 100))

    private func fetch(_ address: String, atMost bytes: Int = 1_000) async -> Data? {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [ImageServer.self]
        return await PushImage.fetch(address, atMost: bytes, within: 5, configuration)
    }

    @Test("PUSH-8: an image comes over https, within its size; anything else is no image, and the push has none")
    func fetching() async {
        #expect(await fetch("https://images.example.com/png") == Self.png)
        #expect(await fetch("https://images.example.com/png", atMost: 107) == nil)
        for address in [
            "https://images.example.com/html", "https://images.example.com/missing",
            "https://images.example.com/broken",
            "http://images.example.com/png", "file:///png", "data:image/png;base64,AA", "https://", "", "no address",
        ] {
            #expect(await fetch(address) == nil, "\(address)")
        }
    }

    @Test("PUSH-8: a redirect stays on https, and there are at most five")
    func redirects() {
        var reception = ImageReception(maximumBytes: 10, maximumRedirects: 5)
        let addresses = [
            "http://example.com/a.png", "", "https://example.com/a.png", "HTTPS://example.com/a.png",
            "https://example.com/a.png", "https://example.com/a.png",
        ]
        let followed = addresses.map { reception.follows(URL(string: $0)) }
        #expect(followed == [false, false, true, true, true, false])
    }

    @Test("PUSH-8: not one byte more is kept than is allowed")
    func size() {
        var reception = ImageReception(maximumBytes: 12, maximumRedirects: 5)
        let jpeg = Data([0xff, 0xd8, 0xff, 1, 2, 3])
        let taken = [reception.take(jpeg), reception.take(jpeg)]
        #expect(taken == [true, true])
        #expect(reception.image(status: 200) == jpeg + jpeg && reception.image(status: nil) == nil)
        let isTaken = reception.take(Data([1]))
        #expect(!isTaken)
        #expect(reception.image(status: 200) == nil)
    }

    @Test("PUSH-8: the kind of an image is what its bytes say, and its file is named so")
    func kinds() throws {
        let gif = Data("GIF89a...".utf8)
        #expect(PushImage.fileExtension(of: gif) == "gif" && PushImage.fileExtension(of: Self.png) == "png")
        for other in [Data(), Data("<html>".utf8), Data([0xff, 0xd8]), Data("GIF8".utf8)] {
            #expect(PushImage.fileExtension(of: other) == nil)
            #expect(PushImage.store(other, named: "x", in: FileManager.default.temporaryDirectory) == nil)
        }
        let name = UUID().uuidString
        let file = try #require(PushImage.store(gif, named: name, in: FileManager.default.temporaryDirectory))
        defer { try? FileManager.default.removeItem(at: file) }
        let stored = try Data(contentsOf: file)
        #expect(file.lastPathComponent == "\(name).gif" && stored == gif)
    }

    @Test("PUSH-8: settings beyond what the system grants become the nearest that it does")
    func settings() {
        var settings = NotificationServiceSettings(appCode: "shop", appGroupDirectory: nil)
        settings.imageTimeout = 90
        settings.maximumImageBytes = .max
        settings.reportTimeout = -1
        #expect(settings.imageTimeout == 25 && settings.maximumImageBytes == 10_485_760 && settings.reportTimeout == 0)
    }

    /// Answers for a server, without a network.
    private final class ImageServer: URLProtocol {
        override class func canInit(with request: URLRequest) -> Bool { true }
        override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
        override func stopLoading() {}

        override func startLoading() {
            guard let url = request.url, let client else { return }
            let path = url.lastPathComponent
            if path == "broken" { return client.urlProtocol(self, didFailWithError: URLError(.networkConnectionLost)) }
            let status = path == "missing" ? 404 : 200
            guard
                let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: [:])
            else { return }
            client.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            client.urlProtocol(self, didLoad: path == "html" ? Data("<html>".utf8) : PushImageTests.png)
            client.urlProtocolDidFinishLoading(self)
        }
    }
}
