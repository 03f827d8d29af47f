// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// A stand-in for USDC on a test chain: an ERC-20 with 6 decimals and the refusals of the real one.
///
/// It has no constructor and no mint, because tests put its code at an address of their choice
/// (`anvil_setCode`) and write balances into storage (`anvil_setStorageAt`). Slots:
///   0  balances: the balance of `holder` is at keccak256(abi.encode(holder, uint256(0)))
///   1  allowances: that of `owner` to `spender` is at
///      keccak256(abi.encode(spender, keccak256(abi.encode(owner, uint256(1)))))
///   2  total supply; a balance written into storage does not move it
contract Usdc {
    mapping(address holder => uint256 units) public balanceOf;
    mapping(address owner => mapping(address spender => uint256 units)) public allowance;
    uint256 public totalSupply;

    string public constant name = "USD Coin";
    string public constant symbol = "USDC";
    uint8 public constant decimals = 6;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    function transfer(address to, uint256 value) external returns (bool) {
        _move(msg.sender, to, value);
        return true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        require(spender != address(0), "ERC20: approve to the zero address");
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        require(value <= allowed, "ERC20: transfer amount exceeds allowance");
        allowance[from][msg.sender] = allowed - value;
        _move(from, to, value);
        return true;
    }

    function _move(address from, address to, uint256 value) private {
        require(to != address(0), "ERC20: transfer to the zero address");
        require(value <= balanceOf[from], "ERC20: transfer amount exceeds balance");
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}
