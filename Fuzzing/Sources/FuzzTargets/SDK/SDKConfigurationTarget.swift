import Foundation

@testable import Belfry

/// The SDK's configuration file.
enum SDKConfigurationTarget {
    static func run(_ bytes: [UInt8]) throws {
        let configuration: BelfryConfiguration
        do {
            configuration = try BelfryConfiguration(json: Data(bytes), directory: URL(fileURLWithPath: "/nowhere"))
        } catch {
            return try expect(!error.message.isEmpty, "an error says what is wrong")
        }
        try expect((try? configuration.validate()) != nil, "a file is taken that no client is made from")
        try expect(configuration.path("/client").hasSuffix("/client"), "a path ends as it is asked to")
    }
}
