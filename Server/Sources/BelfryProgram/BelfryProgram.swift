import ArgumentParser
import BelfryBench
import BelfryCommand

/// The one program: server, administration, simulators, demonstration and benchmarks.
@main
struct BelfryProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "belfry",
        abstract: "A self-hosted mobile engagement platform.",
        subcommands: BelfryCommands.all + [BenchCommand.self]
    )
}
