/// The lines that a website needs to use an app (WEB-1). The command line and the console show the same lines.
package struct WebsiteLines: Hashable, Sendable {
    /// A script of the SDK, as a page loads it.
    package struct Script: Hashable, Sendable {
        package let name: String
        package let integrity: String

        package init(name: String, integrity: String) {
            self.name = name
            self.integrity = integrity
        }
    }

    /// The path of the website's service worker, as these lines assume it.
    package static let workerPath = "/belfry-sw.js"

    /// The lines for the page's `<head>`.
    package let page: String
    /// The lines for the file of the website's service worker, which must be on the website's own origin.
    package let worker: String
    /// The sources that a content security policy of the website has to allow in addition.
    package let policy: String

    /// - Parameters:
    ///   - server: the server's address, without a slash at its end.
    ///   - app: the app's code, whose letters need no escaping.
    ///   - version: the version of the SDK.
    ///   - scripts: all scripts of the SDK.
    package init(server: String, app: String, version: String, scripts: [Script]) {
        let base = "\(server)\(BrowserSDK.path)/\(version)"
        // Each script loads others, some of them late. The import map gives the hash of each before the first is
        // loaded.
        let hashes = scripts.map { #"    "\#(base)/\#($0.name)": "\#($0.integrity)""# }
        let first = scripts.first { $0.name == BrowserSDK.module }
        let preload = first.map { script in
            #"<link rel="modulepreload" href="\#(base)/\#(script.name)" integrity="\#(script.integrity)" crossorigin>"#
        }
        page = """
            <script type="importmap">
              { "integrity": {
            \(hashes.joined(separator: ",\n"))
              } }
            </script>
            \(preload ?? "")
            <script type="module">
              import { Belfry } from "\(base)/\(BrowserSDK.module)";
              const belfry = await Belfry.start({
                appCode: "\(app)", serverURL: "\(server)", worker: { url: "\(Self.workerPath)" },
              });
            </script>
            """
        worker = """
            import { attach } from "\(base)/\(BrowserSDK.worker)";
            attach("\(app)");
            """
        policy = "script-src \(server); connect-src \(server); frame-src \(server); worker-src 'self'"
    }
}

extension BrowserSDK {
    /// The lines with which a website uses an app.
    ///
    /// - Parameters:
    ///   - server: the server's address, without a slash at its end.
    ///   - app: the app's code.
    package func lines(server: String, app: String) -> WebsiteLines {
        WebsiteLines(server: server, app: app, version: version, scripts: scripts)
    }

    package var scripts: [WebsiteLines.Script] {
        files.filter(\.isScript).map { WebsiteLines.Script(name: $0.name, integrity: $0.integrity) }
    }
}
