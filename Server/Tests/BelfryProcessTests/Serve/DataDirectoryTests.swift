import Foundation
import Testing

@Suite("The data directory")
struct DataDirectoryTests {
    @Test(
        "ADM-1, SEC-1: nobody else can read the server's files, even in a directory that was open to others",
        .timeLimit(.minutes(10))
    )
    func isPrivate() async throws {
        try await withStage { stage in
            let folder = stage.dataDirectory
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
            try await stage.withServer { server in
                try await stage.admin(server).createApp()
                #expect(mode(of: folder) == 0o700)
                let files = ["belfry.sqlite", "belfry.sqlite-wal", "admin-key", "secret-key", "lock"]
                for file in files {
                    #expect(mode(of: folder.appending(path: file)) == 0o600, "\(file)")
                }
                let drafts = try FileManager.default.contentsOfDirectory(atPath: folder.path)
                    .filter { $0.hasSuffix(".new") }
                #expect(drafts.isEmpty)
            }
        }
    }

    @Test("ADM-1, SEC-1: the keys of the first start are kept for the next", .timeLimit(.minutes(10)))
    func keysStay() async throws {
        try await withStage { stage in
            let first = try await stage.withServer { server in
                try await stage.admin(server).createApp()
                return server.adminKey
            }
            let secret = try Data(contentsOf: stage.dataDirectory.appending(path: "secret-key"))
            try await stage.withServer { server in
                #expect(server.adminKey == first)
                let kept = try Data(contentsOf: stage.dataDirectory.appending(path: "secret-key"))
                #expect(kept == secret)
            }
        }
    }

    private func mode(of url: URL) -> mode_t? {
        var status = stat()
        return stat(url.path, &status) == 0 ? status.st_mode & 0o777 : nil
    }
}
