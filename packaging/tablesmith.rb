# The formula for Homebrew. packaging/formula.sh fills in what stands between two @.
class Tablesmith < Formula
  desc "Endgame tables of chess and of any chess variant"
  homepage "@repository@"
  version "@version@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "@repository@/releases/download/v#{version}/tablesmith-#{version}-aarch64-apple-darwin.tar.gz"
      sha256 "@aarch64-apple-darwin@"
    end
    on_intel do
      url "@repository@/releases/download/v#{version}/tablesmith-#{version}-x86_64-apple-darwin.tar.gz"
      sha256 "@x86_64-apple-darwin@"
    end
  end

  on_linux do
    on_arm do
      url "@repository@/releases/download/v#{version}/tablesmith-#{version}-aarch64-unknown-linux-gnu.tar.gz"
      sha256 "@aarch64-unknown-linux-gnu@"
    end
    on_intel do
      url "@repository@/releases/download/v#{version}/tablesmith-#{version}-x86_64-unknown-linux-gnu.tar.gz"
      sha256 "@x86_64-unknown-linux-gnu@"
    end
  end

  def install
    bin.install "tablesmith"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/tablesmith.bash" => "tablesmith"
    zsh_completion.install "completions/_tablesmith"
    fish_completion.install "completions/tablesmith.fish"
  end

  test do
    assert_match "White mates in 5 moves", shell_output("#{bin}/tablesmith probe '8/8/8/8/8/4k3/8/4K2Q w - - 0 1'")
  end
end
