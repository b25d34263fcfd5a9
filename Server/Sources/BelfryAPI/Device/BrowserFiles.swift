import BelfryBrowser
import Hummingbird

/// The files of the browser SDK, for pages of any website (WEB-1): `GET /sdk/VERSION/NAME`.
package struct BrowserFiles: Sendable {
    private struct File: Sendable {
        let body: PackedBody
        let contentType: String
        let tag: String
        let isPage: Bool

        init(_ file: BrowserFile) {
            body = PackedBody(file.bytes)
            contentType = file.contentType
            tag = "\"\(file.integrity)\""
            isPage = file.isPage
        }
    }

    /// Content that messages bring runs in pages of the SDK. The sandbox keeps such a page from this server's origin,
    /// also when it is opened by itself.
    private static let policy = "sandbox allow-scripts"

    /// A version's files never change, so a browser may keep them forever.
    private static let lifetime = "public, max-age=31536000, immutable"

    private let current: String
    /// The files by version and name.
    private let files: [String: [String: File]]

    /// - Parameter sdks: the program's own version, and earlier ones.
    package init(_ sdks: [BrowserSDK]) {
        current = sdks.first?.version ?? ""
        files = sdks.reduce(into: [:]) { files, sdk in
            files[sdk.version] = sdk.files.reduce(into: [:]) { $0[$1.name] = File($1) }
        }
    }

    package func add(to router: Router<APIRequestContext>) {
        router.on(RouterPath("\(BrowserSDK.path)/{version}/{name}"), method: .get) { request, context in
            try response(
                to: request, version: context.parameters.get("version") ?? "",
                name: context.parameters.get("name") ?? ""
            )
        }
    }

    private func response(to request: Request, version: String, name: String) throws(APIError) -> Response {
        guard let file = files[version]?[name] else {
            throw APIError(
                .notFound, "notFound",
                "There is no such file of the browser SDK; this server's version of it is \(current).", target: "sdk"
            )
        }
        var response =
            isFresh(request, file)
            ? Response(status: .notModified) : file.body.response(to: request, type: file.contentType)
        response.headers[.cacheControl] = Self.lifetime
        response.headers[.eTag] = file.tag
        if file.isPage { response.headers[.contentSecurityPolicy] = Self.policy }
        // The files are public and the same for everybody, so a page of any origin may load them, also an isolated one.
        response.headers[.accessControlAllowOrigin] = "*"
        response.headers[.crossOriginResourcePolicy] = "cross-origin"
        return response
    }

    private func isFresh(_ request: Request, _ file: File) -> Bool {
        let space = UInt8(ascii: " ")
        let tags = request.headers[values: .ifNoneMatch].flatMap { $0.utf8.split(separator: UInt8(ascii: ",")) }
        return tags.contains { tag in
            let tag = tag.drop { $0 == space }.prefix { $0 != space }
            return ["*", file.tag, "W/\(file.tag)"].contains { tag.elementsEqual($0.utf8) }
        }
    }
}
