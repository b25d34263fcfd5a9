import BelfryModel
import Crypto
import Foundation
import Hummingbird
import NIOCore

/// The files that pages load: style sheet, scripts, icon. Their addresses contain a digest of the content, so browsers
/// can cache them forever and still load new ones after an upgrade.
struct Assets: Sendable {
    private struct Asset: Sendable {
        let bytes: ByteBuffer
        let contentType: String
        let version: String
    }

    private let assets: [String: Asset]
    /// The digest of all files together. It is in the address of each, because scripts import each other by relative
    /// addresses.
    private let version: String

    init(_ files: [String: [UInt8]] = AssetSources.all) {
        var digest = SHA256()
        for (name, bytes) in files.sorted(by: { $0.key < $1.key }) {
            digest.update(data: Data(name.utf8))
            digest.update(data: Data(bytes))
        }
        let version = digest.finalize().prefix(8).hexText
        self.version = version
        assets = files.reduce(into: [:]) { assets, file in
            assets[file.key] = Asset(
                bytes: ByteBuffer(bytes: file.value), contentType: Self.contentType(of: file.key), version: version
            )
        }
    }

    func address(of name: String) -> String {
        "/console/assets/\(version)/\(name)"
    }

    func response(name: String) -> Response {
        guard let asset = assets[name] else { return Response(status: .notFound) }
        return Response(
            status: .ok,
            headers: [
                .contentType: asset.contentType, .cacheControl: "public, max-age=31536000, immutable",
                .contentSecurityPolicy: "default-src 'none'; sandbox",
            ],
            body: ResponseBody(byteBuffer: asset.bytes)
        )
    }

    private static func contentType(of name: String) -> String {
        switch name.utf8.split(separator: UInt8(ascii: ".")).last.map({ String(Substring($0)) }) {
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "svg": "image/svg+xml"
        default: "application/octet-stream"
        }
    }
}
