import ArgumentParser
import BelfryPush

/// Where a benchmark sends to: `https://HOST:PORT/PATH`, of which the path begins the path of each request.
struct BenchSink {
    let endpoint: PushEndpoint
    let path: String
    /// The URL without its path.
    let base: String

    init(_ url: String) throws {
        let scheme = "https://"
        guard url.hasPrefix(scheme) else {
            throw ValidationError("--sink must begin with '\(scheme)', such as https://127.0.0.1:8443/3/device/")
        }
        let rest = url.dropFirst(scheme.count)
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        base = scheme + String(rest[..<slash])
        do {
            endpoint = try PushEndpoint(base)
        } catch {
            throw ValidationError("--sink: \(error)")
        }
        path = slash == rest.endIndex ? "/" : String(rest[slash...])
    }
}
